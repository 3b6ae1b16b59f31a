import { expect, test } from "vitest";
import { readSamples, sweptOperations } from "#kernel/testing/sweep.ts";
import { useWorld } from "#kernel/testing/world.ts";

const PAGE = "limit=200";

const world = await useWorld({
  env: { MILLRACE_LOGIN_RATE_LIMIT: "0", MILLRACE_OUTBOUND_ALLOW: "127.0.0.1/32" },
});
const owner = await world.member(["owner"]);
const samples = await readSamples();

/** Each operation that reads one resource, with its list. */
const pairs = sweptOperations.flatMap((op) => {
  const [method, path = ""] = op.route.split(" ");
  const listPath = path.replace(/\/\{\w+\}$/, "");
  const list = sweptOperations.find(({ route }) => route === `GET ${listPath}`);
  // The ETag of a content is derived from its bytes.
  const isThing = op.access === "workspace" && op.readsRange !== true;
  const isPair = method === "GET" && listPath !== path && isThing && list;
  return isPair ? [{ one: op, path, listPath }] : [];
});

test.each(pairs.map((pair) => [pair.one.id, pair] as const))(
  "%s returns the revision of its list",
  async (id, { path, listPath }) => {
    const [sample] = samples.get(id) ?? [];
    const { params = {}, by = owner } = (await sample?.arrange(owner, world)) ?? {};
    const fill = (text: string): string =>
      text.replaceAll(/\{(\w+)\}/g, (_match, name: string) => params[name] ?? "");
    const one = await by(`GET ${fill(path)}`);
    const { etag } = one.headers;
    if (etag === undefined) return;
    const list = await by(`GET ${fill(listPath)}?${PAGE}`);
    // An object of a few resources is not a list.
    if (!Array.isArray(list.body.data)) return;
    const key = params[/\{(\w+)\}$/.exec(path)?.[1] ?? ""];
    const item = list.body.data.find((candidate: object) => Object.values(candidate).includes(key));
    expect({ item: item?.revision, etag }).toEqual({ item: expect.any(Number), etag });
    expect(etag.replace(/-\d+"$/, '"')).toBe(`"${item.revision}"`);
  },
);
