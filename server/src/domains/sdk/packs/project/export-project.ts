import type { Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { listItems, listSources, type ReadIn, replaceTexts, toReferences } from "./names.ts";
import type { ProjectExport } from "./project.ts";

/** Everything of these kinds as content, with references between items in the place of their ids. */
export async function exportProject(
  context: Pick<ReadContext, "services" | "caller">,
  kinds: readonly string[] | undefined,
  readIn: ReadIn,
): Promise<Static<typeof ProjectExport>> {
  const isAsked = ({ kind }: { readonly kind: string }): boolean =>
    kinds === undefined || kinds.includes(kind);
  const { types, readable } = listSources(context);
  const found = await listItems(context, readable.filter(isAsked), readIn);
  const references = toReferences(found);
  const items: Record<string, unknown[]> = {};
  for (const { kind, content } of found.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
    (items[kind] ??= []).push(replaceTexts(content, references));
  }
  const leftOut = types.filter((type) => isAsked(type) && !readable.includes(type));
  return { items, leftOut: leftOut.map(({ kind }) => kind) };
}
