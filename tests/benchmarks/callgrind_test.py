# Worse than useless: a cost that goes to the wrong function, so that the harness looks free.
import unittest

import callgrind

# "Extended Example" of the Callgrind Format Specification (Valgrind manual), first as it stands
# there, then with the name compression that it describes.
PLAIN = """
events: Instructions

fl=file1.c
fn=main
16 20
cfn=func1
calls=1 50
16 400
cfi=file2.c
cfn=func2
calls=3 20
16 400

fn=func1
51 100
cfi=file2.c
cfn=func2
calls=2 20
51 300

fl=file2.c
fn=func2
20 700
"""
COMPRESSED = """
events: Instructions

fl=(1) file1.c
fn=(1) main
16 20
cfn=(2) func1
calls=1 50
16 400
cfi=(2) file2.c
cfn=(3) func2
calls=3 20
* 400

fn=(2)
+35 100
cfi=(2)
cfn=(3)
calls=2 20
* 300

fl=(2)
fn=(3)
-31 700
"""
OBJECTS = """
ob=(1) /bin/program
fn=(1) main
1 5
cob=(2) /lib/libdrm.so
cfn=(2) drmIoctl
calls=1 1
1 90
cfn=(3) helper
calls=1 1
1 7

ob=(2)
fn=(2)
1 90
"""


def read(text):
    return callgrind.read_profile(text.splitlines(keepends=True))


class Callgrind(unittest.TestCase):
    def test_example_of_the_specification(self):
        for text in (PLAIN, COMPRESSED):
            profile = read(text)
            own = {function.name: cost for function, cost in profile.own_by_function().items()}
            self.assertEqual(own, {"main": 20, "func1": 100, "func2": 700})
            places = {function.name: file for function, file in profile.own}
            self.assertEqual(places, {"main": "file1.c", "func1": "file1.c", "func2": "file2.c"})
            calls = {(caller.name, callee.name): cost
                     for (caller, callee), cost in profile.calls.items()}
            self.assertEqual(calls, {("main", "func1"): 400, ("main", "func2"): 400,
                                     ("func1", "func2"): 300})
            self.assertEqual(profile.total, 820)

    def test_objects_of_callees(self):
        calls = {(callee.object, callee.name) for _, callee in read(OBJECTS).calls}
        self.assertEqual(calls, {("/lib/libdrm.so", "drmIoctl"), ("/bin/program", "helper")})

    def test_lines_of_an_inlined_function_are_its_own_files(self):
        profile = read("fl=(1) a.cpp\nfn=(1) f\n1 2\nfi=(2) b.h\n7 30\nfe=(1)\n3 4\n")
        self.assertEqual({file: cost for (_, file), cost in profile.own.items()},
                         {"a.cpp": 6, "b.h": 30})


if __name__ == "__main__":
    unittest.main()
