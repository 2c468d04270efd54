#!/usr/bin/env python3
"""Checks that the code under src/ keeps to the map in ARCHITECTURE.md.

The map is the fenced block marked `include-graph`: one line a module, `name -> modules it may include`.
A module is a folder under src/; `backends/sim` is one of its own inside `backends`. Fails on any other include
between modules, on a cycle in the map, on a folder or a module that the other side lacks, and on a long file.

usage: check_includes.py ROOT
"""

import pathlib
import re
import sys

MAX_LINES = 400  # a file is one idea
SOURCES = {".cpp", ".hpp", ".h", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def read_graph(page):
    """Map of module -> set of modules it may include, from the text of ARCHITECTURE.md."""
    block = re.search(r"^```include-graph\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    if not block:
        raise ValueError("ARCHITECTURE.md has no block ```include-graph")
    graph = {}
    for line in filter(None, map(str.strip, block.group(1).splitlines())):
        name, _, uses = line.partition("->")
        if name.strip() in graph:
            raise ValueError(f"ARCHITECTURE.md lists the module '{name.strip()}' twice")
        graph[name.strip()] = set(uses.split())
    return graph


def module_of(path, graph):
    """The module that a path relative to src/ belongs to: the longest name in the graph that is a folder of it."""
    folders = [str(folder) for folder in pathlib.PurePosixPath(path).parents]
    return next((folder for folder in folders if folder in graph), None)


def find_cycle(graph):
    """Modules of one cycle in order, or an empty list."""
    done = set()

    def visit(module, trail):
        if module in trail:
            return trail[trail.index(module):] + [module]
        if module in done:
            return []
        for used in sorted(graph.get(module, ())):
            cycle = visit(used, trail + [module])
            if cycle:
                return cycle
        done.add(module)
        return []

    for module in graph:
        cycle = visit(module, [])
        if cycle:
            return cycle
    return []


def check_graph(graph, src):
    for module, uses in graph.items():
        if not (src / module).is_dir():
            yield f"ARCHITECTURE.md: module '{module}' has no folder src/{module}"
        for used in sorted(uses - graph.keys()):
            yield f"ARCHITECTURE.md: '{module}' may use '{used}', which is not in the graph"
    cycle = find_cycle(graph)
    if cycle:
        yield "ARCHITECTURE.md: the graph has a cycle: " + " -> ".join(cycle)


def check_file(file, graph, src):
    path = file.relative_to(src).as_posix()
    own = module_of(path, graph)
    if own is None:
        yield f"src/{path}: its folder is no module in ARCHITECTURE.md"
        return
    lines = file.read_text(encoding="utf-8").splitlines()
    if len(lines) > MAX_LINES:
        yield f"src/{path}: {len(lines)} lines, more than {MAX_LINES}: split it into two ideas"
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = match.group(1)
        where = f"src/{path}:{number}"
        if ".." in included.split("/"):
            yield f'{where}: "{included}" climbs out of its folder: write the path from src/'
            continue
        if not (src / included).is_file():
            if (file.parent / included).is_file():
                yield f'{where}: "{included}" must be written as a path from src/'
            elif (src / included.split("/")[0]).is_dir():
                yield f'{where}: there is no src/{included}'
            continue  # a library's own header, or a generated one
        used = module_of(included, graph)
        if used != own and used not in graph[own]:
            yield f"{where}: '{own}' must not include \"{included}\": ARCHITECTURE.md allows it {sorted(graph[own])}"


def check(root):
    """All violations in the tree at `root`, one line each; empty if map and code agree."""
    root = pathlib.Path(root)
    src = root / "src"
    try:
        graph = read_graph((root / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [str(error)]
    files = sorted(f for f in src.rglob("*") if f.suffix in SOURCES)
    problems = list(check_graph(graph, src))
    for file in files:
        problems += check_file(file, graph, src)
    if not files:
        problems.append(f"no source files under {src}")
    return problems


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems = check(sys.argv[1])
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
