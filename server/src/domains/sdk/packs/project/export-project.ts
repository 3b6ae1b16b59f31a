import type { Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { mapJson } from "#kernel/schema/map-json.ts";
import type { PackContent } from "#kernel/contributions/pack-content.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { PACK_ITEMS_MAX } from "../descriptor.ts";
import { listContentTypes } from "../pack-items.ts";
import { type ProjectExport, TooManyItems } from "./project.ts";

/** A read in the environment that items of a kind lie in. */
export type ReadIn = <T>(environmentScoped: boolean, work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Everything of these kinds as content, with references between items in the place of their ids. */
export async function exportProject(
  { services, caller }: Pick<ReadContext, "services" | "caller">,
  kinds: readonly string[] | undefined,
  readIn: ReadIn,
): Promise<Static<typeof ProjectExport>> {
  const types = listContentTypes(services).filter(
    ({ kind, source }) => source && (kinds === undefined || kinds.includes(kind)),
  );
  const readable = types.filter(({ permission }) => caller.permissions.has(permission.name));
  const names = new Map<string, string>();
  const found: { readonly kind: string; readonly key: string; readonly content: object }[] = [];
  for (const type of readable) {
    for (const { id, content } of await readKind({ services, caller }, type, readIn)) {
      const key = type.keyOf(content as never);
      names.set(id, `pack:${type.kind}/${key}`);
      found.push({ kind: type.kind, key, content });
    }
    if (found.length > PACK_ITEMS_MAX) throw new Failure(TooManyItems);
  }
  const items: Record<string, unknown[]> = {};
  for (const { kind, content } of found.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    const named = mapJson(content, (leaf) =>
      typeof leaf === "string" ? (names.get(leaf) ?? leaf) : leaf,
    );
    (items[kind] ??= []).push(named);
  }
  const leftOut = types.filter((type) => !readable.includes(type)).map(({ kind }) => kind);
  return { items, leftOut };
}

function readKind(
  context: Pick<ReadContext, "services" | "caller">,
  { source, environmentScoped }: PackContent,
  readIn: ReadIn,
): Promise<readonly { readonly id: string; readonly content: object }[]> {
  return readIn(environmentScoped, async (tx) => {
    const ctx = { ...context, tx };
    const ids = (await source?.list(ctx, PACK_ITEMS_MAX + 1)) ?? [];
    const found: { readonly id: string; readonly content: object }[] = [];
    for (const id of ids) {
      const content = await source?.toContent(ctx, id);
      if (content) found.push({ id, content });
    }
    return found;
  });
}
