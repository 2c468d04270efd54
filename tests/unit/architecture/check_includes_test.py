#!/usr/bin/env python3
"""The checker on small planted trees: each test is one way for map and code to part, and it must be seen."""

import pathlib
import tempfile
import unittest

import check_includes

GRAPH = """
# Map
```include-graph
core
stats -> core
device -> core
backends/sim -> device core
backends -> backends/sim device core
```
"""

GOOD = {
    "src/core/units.hpp": "#pragma once\n",
    "src/stats/median.cpp": '#include "stats/median.hpp"\n#include <vector>\n#include "core/units.hpp"\n',
    "src/stats/median.hpp": "#pragma once\n",
    "src/device/device.hpp": '#include "core/units.hpp"\n',
    "src/backends/registry.cpp": '#include "backends/sim/sim.hpp"\n#include "gtest.h"\n',
    "src/backends/sim/sim.hpp": '#include "device/device.hpp"\n',
}


class CheckIncludes(unittest.TestCase):
    def problems(self, changes=None, graph=GRAPH):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**GOOD, **(changes or {}), "ARCHITECTURE.md": graph}.items():
                file = pathlib.Path(root, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return check_includes.check(root)

    def only_problem(self, *args, **kwargs):
        found = self.problems(*args, **kwargs)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_a_tree_that_keeps_to_the_map_passes(self):
        self.assertEqual(self.problems(), [])

    def test_an_include_against_the_direction_is_named_with_file_and_line(self):
        problem = self.only_problem({"src/core/units.hpp": '#pragma once\n#include "stats/median.hpp"\n'})
        self.assertIn("src/core/units.hpp:2", problem)
        self.assertIn("must not include", problem)

    def test_modules_side_by_side_may_not_include_each_other(self):
        self.assertIn("'stats'", self.only_problem({"src/stats/median.hpp": '  #  include "device/device.hpp"\n'}))

    def test_a_backend_may_not_include_the_registry_above_it(self):
        self.assertIn("backends/sim", self.only_problem(
            {"src/backends/registry.hpp": "", "src/backends/sim/sim.hpp": '#include "backends/registry.hpp"\n'}))

    def test_allowed_is_not_inherited_from_what_one_uses(self):
        """backends may use device, device may use core: that must not let a file of stats reach device."""
        graph = GRAPH.replace("backends -> backends/sim device core", "backends -> backends/sim device")
        self.assertIn("core/units.hpp", self.only_problem(
            {"src/backends/registry.cpp": '#include "core/units.hpp"\n'}, graph))

    def test_a_path_that_is_not_from_src_cannot_hide_an_include(self):
        for hidden in ("../device/device.hpp", "median.hpp"):
            self.assertIn(hidden, self.only_problem({"src/stats/median.cpp": f'#include "{hidden}"\n'}))

    def test_an_include_of_a_file_that_is_not_there(self):
        self.assertIn("no src/core/gone.hpp", self.only_problem({"src/stats/median.cpp": '#include "core/gone.hpp"\n'}))

    def test_a_new_folder_that_the_map_lacks(self):
        self.assertIn("no module", self.only_problem({"src/extra/a.cpp": ""}))

    def test_a_module_in_the_map_without_a_folder(self):
        self.assertIn("no folder", self.only_problem(graph=GRAPH.replace("core\nstats", "core\nghost -> core\nstats")))

    def test_a_cycle_in_the_map(self):
        self.assertIn("cycle: core -> stats -> core", self.only_problem(
            graph=GRAPH.replace("core\nstats", "core -> stats\nstats")))

    def test_a_misspelt_name_in_the_map(self):
        self.assertIn("'croe'", self.only_problem(graph=GRAPH.replace("device -> core", "device -> core croe", 1)))

    def test_a_module_listed_twice(self):
        self.assertIn("twice", self.only_problem(graph=GRAPH.replace("core\nstats", "core\ncore\nstats")))

    def test_a_file_of_401_lines_is_too_long_and_one_of_400_is_not(self):
        self.assertEqual(self.problems({"src/core/units.hpp": "\n" * 400}), [])
        self.assertIn("401 lines", self.only_problem({"src/core/units.hpp": "\n" * 401}))

    def test_a_page_without_a_graph(self):
        self.assertIn("no block", self.only_problem(graph="# Map\n"))

    def test_an_empty_tree_is_not_a_pass(self):
        with tempfile.TemporaryDirectory() as root:
            pathlib.Path(root, "ARCHITECTURE.md").write_text("```include-graph\n```\n", encoding="utf-8")
            self.assertIn("no source files", check_includes.check(root)[0])


if __name__ == "__main__":
    unittest.main()
