"""
What is fuzzed: each module is one target.

``TEXT`` says what it is. ``make(folder)`` gives a function of ``Choices`` that builds one input
and feeds it in; it returns whether that was accepted, and raises what the package must never
raise. ``FAULT`` names a function inside the package: with an exception built into it, the fuzzer
must notice.
"""
