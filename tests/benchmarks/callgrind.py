"""Reads the files that valgrind's callgrind writes (Callgrind format specification)."""

import re
from collections import namedtuple

Function = namedtuple("Function", "object name")
NAME = re.compile(r"\((\d+)\)(?: (.*))?$")
COST = re.compile(r"(?:[+-]?\d+|\*|0x[0-9a-f]+)(?: (\d+))?$")


class Profile:
    """Self cost of each function by source file (an inlined one's lines stand in another), and the
    inclusive cost of the calls between each two functions."""

    def __init__(self):
        self.own = {}
        self.calls = {}

    def own_by_function(self):
        """Self cost of each function."""
        costs = {}
        for (function, _), cost in self.own.items():
            costs[function] = costs.get(function, 0) + cost
        return costs

    @property
    def total(self):
        return sum(self.own.values())


def read_profile(lines):
    """Profile of one file's lines; costs are of its first event (instructions)."""
    names = {"ob": {}, "fn": {}, "fl": {}}
    profile = Profile()
    at = {"ob": "", "fn": "", "fl": ""}
    callee = {}
    in_call = False

    def resolve(kind, text):
        match = NAME.match(text)
        if not match:
            return text
        number, name = match.groups()
        if name is not None:
            names[kind][number] = name
        return names[kind][number]

    for line in lines:
        line = line.rstrip("\n")
        key, _, text = line.partition("=")
        if key in ("ob", "fn"):
            at[key] = resolve(key, text)
        elif key in ("fl", "fi", "fe"):
            at["fl"] = resolve("fl", text)
        elif key in ("cob", "cfn"):
            callee[key[1:]] = resolve(key[1:], text)
        elif key in ("cfi", "cfl"):
            resolve("fl", text)
        elif key == "calls":
            in_call = True
        elif match := COST.match(line):
            cost = int(match[1] or 0)
            caller = Function(at["ob"], at["fn"])
            if in_call:
                edge = caller, Function(callee.get("ob", at["ob"]), callee["fn"])
                profile.calls[edge] = profile.calls.get(edge, 0) + cost
                callee = {}
                in_call = False
            else:
                place = caller, at["fl"]
                profile.own[place] = profile.own.get(place, 0) + cost
    return profile
