import { checkDefinition, builtInNodeTypes, nodeTypes } from "/work/main/server/src/domains/workflows/definition/index.ts";
import { checkTemplate } from "/work/main/server/src/kernel/expression/template.ts";
import { checkExpression } from "/work/main/server/src/kernel/expression/expression.ts";
import { referencesIn } from "/work/main/server/src/domains/workflows/reference.ts";
const types = nodeTypes(builtInNodeTypes);
const ex = { template: checkTemplate, expression: (t: string) => checkExpression(t).faults };
const trigger = { type: "manual" };
function time(name: string, nodes: any[], edges: any[] = []) {
  const d = { name: "x", trigger, nodes, edges };
  const size = JSON.stringify(d).length;
  const t = performance.now();
  const f = checkDefinition(d, types, ex);
  const t2 = performance.now();
  referencesIn(d, types);
  console.log(name, size, "faults", f.length, f[0], "check", (t2 - t).toFixed(0), "refs", (performance.now() - t2).toFixed(0));
}
const ids = Array.from({ length: 500 }, (_, i) => `n${i}`);
time("plain", ids.map((id) => ({ id, type: "set", config: { values: { a: `{{ trigger.input.x${id} > 3 }}` } } })));
time("2KB dots", ids.map((id) => ({ id, type: "set", config: { values: { a: `{{ ${id}${".a".repeat(950)} }}` } } })));
time("2KB dots expr", ids.map((id) => ({ id, type: "transform", config: { expression: `${id}${".a".repeat(950)}` } })));
time("2KB parens", ids.map((id) => ({ id, type: "transform", config: { expression: `${"(".repeat(900)}${id}${")".repeat(900)}` } })));
time("100x 10KB dots", ids.slice(0,100).map((id) => ({ id, type: "transform", config: { expression: `${id}${".a".repeat(4900)}` } })));
time("2KB ternary", ids.map((id) => ({ id, type: "transform", config: { expression: `${"a?b:".repeat(450)}${id}` } })));
time("2KB +", ids.map((id) => ({ id, type: "transform", config: { expression: `${"a+".repeat(900)}${id}` } })));
time("many strings", ids.map((id) => ({ id, type: "set", config: { values: Object.fromEntries(Array.from({length: 80}, (_, i) => [`k${i}`, `{{ a.b${id}${i} }}`])) } })));
