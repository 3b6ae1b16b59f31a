import { describe, expect, test } from "vitest";
import { checkExpression } from "./expression.ts";

describe("the references of an expression", () => {
  test.each<[string, string[], string[], string[], string[]?]>([
    ["trigger.input.amount", [], [], ["trigger"]],
    ["secrets.KEY", ["KEY"], [], ["secrets"]],
    ["'Bearer ' & $$.secrets.KEY & secrets.`OTHER`", ["KEY", "OTHER"], [], ["secrets"]],
    ["steps.call.output.body[id = steps.other.output]", [], ["call"], ["steps"]],
    ["steps.call.output.body[id = $$.steps.other.output]", [], ["call", "other"], ["steps"]],
    ["$map(steps.a.output, function($x){ $x & secrets.K })", ["K"], ["a"], ["steps", "secrets"]],
    ["trigger.(secrets.KEY)", [], [], ["trigger"]],
    ["trigger.{'a': secrets.KEY}", [], [], ["trigger"]],
    ["{'a': secrets.KEY}", ["KEY"], [], ["secrets"]],
    ["$.secrets.KEY", ["KEY"], [], ["secrets"]],
    ["(secrets.KEY; item.x)", ["KEY"], [], ["secrets", "item"]],
    ["trigger ~> $lookup('a')", [], [], ["trigger"]],
    ["trigger.$string()", [], [], ["trigger"]],
    ["trigger^(secrets)", [], [], ["trigger"]],
    ["trigger{secrets.a: $$.secrets.B}", ["B"], [], ["trigger", "secrets"]],
    ["$now() & 'x'", [], [], []],
    // Without a literal name, any name can be read.
    ["secrets", ["*"], [], ["secrets"]],
    ["($s := secrets; $s.KEY)", ["*"], [], ["secrets"]],
    ["secrets[trigger.name]", ["*"], [], ["secrets"]],
    ["$lookup(secrets, trigger.name)", ["*"], [], ["secrets", "trigger"]],
    ["secrets.*", ["*"], [], ["secrets"]],
    ["steps.(a.output)", [], ["*"], ["steps"]],
    ["$keys(steps)", [], ["*"], ["steps"]],
    ["variables.A.b & $$.variables.C", [], [], ["variables"], ["A", "C"]],
    ["$keys(variables)", [], [], ["variables"], ["*"]],
  ])("%s", (text, ...[secrets, steps, roots, variables = []]) => {
    const { issues, references } = checkExpression(text);
    expect(issues).toEqual([]);
    expect(references).toEqual({ secrets, variables, steps, roots });
  });

  test.each([
    "$",
    "$$",
    "$string()",
    "$keys()",
    "$lookup('secrets')",
    "$each(function($v){ $v })",
    "*",
    "**.KEY",
    "$$.*",
    "$$[0].secrets",
    "$.($.secrets.KEY)",
    "($r := $$; $r.secrets.KEY)",
    "trigger.(%.secrets.KEY)",
    "function($x)<o-:o>{ $x }()",
    "$ ~> |trigger|{'a': 1}|",
    "$map([$], function($x){ $x.secrets })",
    "{'a': $}",
    "Employee@$e.Contact@$c[$c.ssn = $e.SSN].{'n': $e.FirstName}",
    "$$.Employee@$e.Contact",
  ])("the whole scope: %s", (text) => {
    const { references } = checkExpression(text);
    expect(references.steps).toContain("*");
    expect(references.roots).toContain("*");
    // Secrets are read by name only.
    expect(references.secrets).not.toContain("*");
  });
});

describe("errors", () => {
  test.each<[string, string, number]>([
    ["1 +", "Unexpected end of expression", 3],
    ["a b", 'Syntax error: "b"', 3],
    ["$foo(1)", "The function $foo does not exist.", 5],
    ["trigger.($bar(1))", "The function $bar does not exist.", 14],
    ["$eval('1')", "The function $eval does not exist.", 5],
    ["$map(a, $eval)", "The function $eval does not exist.", 13],
    ["($e := $eval; $e('1'))", "The function $eval does not exist.", 12],
  ])("%s", (text, message, position) => {
    expect(checkExpression(text).issues).toEqual([{ message, position }]);
  });

  test.each([
    "($f := function($x){ $x }; $f(1))",
    "$map(a, function($g){ $g(1) })",
    "a@$f.($f(1))",
    "a#$f.($f(1))",
    "a[0]#$f.($f(1))",
    "($eval := $uppercase; $eval('a'))",
  ])("no error in %s", (text) => {
    expect(checkExpression(text).issues).toEqual([]);
  });
});
