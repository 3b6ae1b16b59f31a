import { expect, test } from "vitest";
import { compareApps } from "./difference.ts";
import {
  addParts,
  childrenOf,
  type Component,
  type Draft,
  insertAt,
  moveBy,
  moveIn,
  moveTo,
  readAt,
  removeAt,
  tablesOf,
  walk,
  wrapIn,
} from "./draft.ts";
import { mergeDrafts } from "./merge.ts";

const text = (id: string): Component => ({ type: "text", id, text: id });
const BASE = "/pages/0/components";

const draft: Draft = {
  name: "App",
  slug: "app",
  description: "",
  theme: null,
  dataSources: [{ id: "dsr_1", name: "orders", kind: "table", config: { table: "orders" } }],
  pages: [
    {
      id: "pag_1",
      path: "/",
      title: "Home",
      components: [
        text("a"),
        { type: "columns", id: "c", columns: [{ components: [text("b")] }, { components: [] }] },
        { type: "modal", id: "m", title: "M", openLabel: "M", components: [text("d"), text("e")] },
      ],
    },
  ],
};

const all = (one: Draft) => [...walk(one.pages[0]?.components ?? [], BASE)];
const ids = (one: Draft) => all(one).map(({ component }) => component.id ?? "");

test("any move keeps all components without duplicates, and the moved one is selected", () => {
  const parts = all(draft);
  const lists = [
    BASE,
    ...parts.flatMap(({ component, pointer }) =>
      childrenOf(component).map((inner) => pointer + inner.pointer),
    ),
  ];
  let moves = 0;
  for (const { component, pointer } of parts) {
    for (const list of lists) {
      for (let index = 0; index < 4; index += 1) {
        const length = (readAt(draft, list) as readonly unknown[]).length;
        const edit = index <= length ? moveTo(draft, pointer, list, index) : undefined;
        if (!edit) continue;
        moves += 1;
        expect(ids(edit.draft).toSorted()).toEqual(ids(draft).toSorted());
        expect((readAt(edit.draft, edit.at) as Component).id).toBe(component.id);
      }
    }
    for (const edit of [
      moveBy(draft, pointer, 1),
      moveBy(draft, pointer, -1),
      moveIn(draft, pointer),
    ]) {
      if (edit) expect((readAt(edit.draft, edit.at) as Component).id).toBe(component.id);
    }
  }
  expect(moves).toBeGreaterThan(40);
  // A component can't be moved into itself.
  expect(moveTo(draft, `${BASE}/2`, `${BASE}/2/components`, 0)).toBeUndefined();
});

test("a copy has a new id, a container wraps its content, and removing selects a neighbour", () => {
  const copied = insertAt(draft, BASE, 1, draft.pages[0]?.components[2] as Component);
  expect(new Set(ids(copied.draft)).size).toBe(ids(copied.draft).length);
  const wrapped = wrapIn(draft, `${BASE}/0`, "tabs");
  expect(readAt(wrapped, `${BASE}/0/tabs/0/components/0/id`)).toBe("a");
  expect(removeAt(draft, `${BASE}/1/columns/0/components/0`).at).toBe(`${BASE}/1`);
  expect(removeAt(draft, `${BASE}/2`).at).toBe(`${BASE}/1`);
});

test("imported parts keep their own sources, even if the names are already used", () => {
  const parts = {
    pages: [
      {
        path: "/orders",
        title: "Orders",
        components: [
          { type: "table", dataSource: "orders" },
          { type: "stat", label: "n", value: "{{ $count(data.orders.id) }}" },
        ],
      },
    ],
    dataSources: [{ name: "orders", kind: "table" as const, config: { table: "others" } }],
  };
  const { draft: after } = addParts(draft, parts);
  expect(after.dataSources.map(({ name }) => name)).toEqual(["orders", "orders_2"]);
  expect(after.pages[1]?.components).toEqual([
    { type: "table", dataSource: "orders_2" },
    { type: "stat", label: "n", value: "{{ $count(data.orders_2.id) }}" },
  ]);
});

test("changes of two users are both kept if they are separate, and reported if they overlap", () => {
  const mine = { ...draft, name: "Mine" };
  const [home] = draft.pages;
  const theirs: Draft = {
    ...draft,
    name: "Theirs",
    pages: [
      { ...home!, title: "Start" },
      { id: "pag_2", path: "/b", title: "B", components: [] },
    ],
  };
  const { draft: merged, clashes } = mergeDrafts(draft, mine, theirs);
  expect(merged).toEqual({ ...theirs, name: "Mine" });
  expect(clashes).toEqual(["name"]);
  expect(compareApps(draft, theirs).map(({ kind, what }) => `${kind} ${what}`)).toEqual([
    "changed App settings",
    "changed Page Start",
    "added Page B",
  ]);
});

test("the tables of an app include the tables of sources and actions", () => {
  const action = { type: "create_record", table: "log", values: {} };
  const rowActions = [{ label: "Drop", action: { type: "delete_record", table: "old_orders" } }];
  const components = [
    { type: "button", label: "Go", action },
    { type: "table", dataSource: "orders", rowActions },
  ];
  const unfinished = { name: "new", kind: "table" as const, config: { table: "" } };
  const found = tablesOf({
    pages: [{ path: "/", title: "Home", components }],
    dataSources: [...draft.dataSources, unfinished],
  });
  expect(found).toEqual(["log", "old_orders", "orders"]);
});
