import { describe, expect, test } from "vitest";
import { loop, errorsOfNodes, step } from "../../testing/definitions.ts";

describe("nodes", () => {
  const http = (config: object, more: object = {}) => ({ id: "a", type: "http", config, ...more });
  const url = "https://example.com";
  const ofConfig = (type: string, config?: object) => ({
    id: "a",
    type,
    ...(config && { config }),
  });
  test.each<[unknown, string[]]>([
    ["a", ["/nodes/0 must be object"]],
    [{ id: "a" }, ["/nodes/0/type is required"]],
    [step("1st"), ["/nodes/0/id does not have the right form: ^[A-Za-z_][A-Za-z0-9_-]{0,63}$"]],
    [step("__proto__"), ["/nodes/0/id is a reserved word"]],
    [step("a", { type: "teleport" }), ["/nodes/0/type is not a known node type"]],
    [step("a", { colour: 1 }), ["/nodes/0/colour is not a known field"]],
    [step("a", { onError: "panic" }), ["/nodes/0/onError must be one of fail, continue, branch"]],
    [step("a", { retry: { maxAttempts: 21 } }), ["/nodes/0/retry/maxAttempts must be <= 20"]],
    [
      step("a", { retry: { maxAttempts: 1, backoffMs: 3_600_001 } }),
      ["/nodes/0/retry/backoffMs must be <= 3600000"],
    ],
    [step("a", { timeoutMs: 0 }), ["/nodes/0/timeoutMs must be >= 1"]],
    [http({}), ["/nodes/0/config/url is required"]],
    [
      http({ url: "ftp://x", headers: { a: 1 } }),
      [
        "/nodes/0/config/url does not have the right form: ^https?://",
        "/nodes/0/config/headers/a must be string",
      ],
    ],
    [
      http({ url, headers: "{{ x }}", query: { a: "{{ bad }}" } }),
      ["/nodes/0/config/query/a is a bad template"],
    ],
    [ofConfig("delay", { ms: "soon" }), ["/nodes/0/config/ms must be integer"]],
    [ofConfig("delay"), ["/nodes/0/config/ms is required"]],
    [
      ofConfig("transform", { expression: "bad" }),
      ["/nodes/0/config/expression is a bad expression"],
    ],
    [
      ofConfig("transform", { expression: "{{ bad }}" }),
      ["/nodes/0/config/expression is a bad expression"],
    ],
    [ofConfig("script", { source: "return '{{ bad }}'" }), []],
    [
      ofConfig("wait_for_event", {
        topic: "t",
        eventType: "{{ x }}",
        filter: { id: { in: "{{ x }}" } },
      }),
      [],
    ],
    [
      ofConfig("wait_for_event", { topic: "t", filter: { id: { in: "x" } } }),
      ["/nodes/0/config/filter/id/in must be a list with at least one value"],
    ],
    [
      ofConfig("records", { operation: "update", table: "t" }),
      ["/nodes/0/config/id is required for update", "/nodes/0/config/data is required for update"],
    ],
    [ofConfig("records", { operation: "{{ x }}", table: "t" }), []],
    [
      ofConfig("publish_event", { topic: "t", type: "x", payload: { "a/b": ["{{ secrets.K }}"] } }),
      ["/nodes/0/config/payload/a~1b/0 must not contain a secret, because it is stored and shown"],
    ],
    [
      ofConfig("subworkflow", { workflowId: "wf", input: "Bearer {{ secrets.K }}" }),
      ["/nodes/0/config/input must not contain a secret, because it is stored and shown"],
    ],
    [
      ofConfig("notify", { userIds: ["u"], title: "{{ secrets.K }}" }),
      ["/nodes/0/config/title must not contain a secret, because it is stored and shown"],
    ],
    [http({ url, headers: { authorization: "Bearer {{ secrets.K }}" } }), []],
    [
      ofConfig("switch", { expression: "x", cases: ["a", 1, "a", "error"] }),
      [
        "/nodes/0/config/cases/2 appears twice",
        "/nodes/0/config/cases/3 is a reserved branch name",
      ],
    ],
    [
      ofConfig("loop", { items: [], concurrency: 101, body: { nodes: [step("b")], edges: [] } }),
      ["/nodes/0/config/concurrency must be <= 100"],
    ],
    [
      ofConfig("loop", { items: [], as: "steps", body: { nodes: [step("b")], edges: [] } }),
      ["/nodes/0/config/as does not have the right form"],
    ],
    [
      ofConfig("loop", { items: [], body: { nodes: [], edges: [] } }),
      ["/nodes/0/config/body/nodes must not have fewer than 1 items"],
    ],
    [
      { ...ofConfig("fail", { message: "no" }), onError: "continue", retry: { maxAttempts: 2 } },
      [
        "/nodes/0/retry can't be used for a step that always fails",
        "/nodes/0/onError must be fail for a step that always fails",
      ],
    ],
  ])("%j", (node, faults) => {
    expect(errorsOfNodes([node])).toEqual(faults);
  });

  test("node ids are unique, also between a loop and its surrounding graph", () => {
    const body = { nodes: [step("a"), step("c"), step("c")], edges: [] };
    expect(
      errorsOfNodes([
        step("a"),
        step("a"),
        loop("b", body),
        loop("d", { nodes: [step("c")], edges: [] }),
      ]),
    ).toEqual([
      "/nodes/1/id is also the id of another node",
      "/nodes/2/config/body/nodes/0/id is also the id of a node outside the loop",
      "/nodes/2/config/body/nodes/2/id is also the id of another node",
    ]);
  });

  test("all errors of all nodes are found, not only the first ones", () => {
    const nodes = Array.from({ length: 60 }, (_, index) => step(`n${index}`, { onError: "panic" }));
    expect(errorsOfNodes(nodes)).toHaveLength(60);
  });
});
