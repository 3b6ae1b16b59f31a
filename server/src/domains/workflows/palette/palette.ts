import Type, { type Static } from "typebox";
import type { Permission } from "#kernel/access/permission.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";
import { NODE_GROUPS, type NodeType } from "../definition/index.ts";
import { nodeTypesOf } from "../node-types.ts";

/** The maximum number of entries per response. Use search to find others. */
export const ENTRIES_MAX = 2_000;

/** A step that can be inserted with few changes. */
export const PaletteEntry = Type.Object(
  {
    key: Type.String({ description: "Unique and stable id" }),
    kind: Type.Enum(["node", "artifact", "connector", "workflow"], {
      description: "A built-in type, or the resource that the step uses",
    }),
    type: Type.String({ description: "`type` of the node" }),
    title: Type.String(),
    group: Type.Enum([...NODE_GROUPS]),
    icon: Type.String(),
    summary: Type.String(),
    of: Type.Optional(
      Type.Object(
        { id: Type.String(), name: Type.String() },
        { description: "Id of the artifact, connector or workflow" },
      ),
    ),
    config: Type.Record(Type.String(), Type.Unknown(), {
      description: "Initial configuration of a new node",
    }),
  },
  { title: "PaletteEntry" },
);
export type PaletteEntry = Static<typeof PaletteEntry>;

/** The palette entries of a domain. */
export interface PaletteSource {
  /** Callers without this permission see none of these entries. */
  readonly permission: Permission;
  readonly list: (ctx: ReadContext, search: PaletteSearch) => Promise<readonly PaletteEntry[]>;
}

export interface PaletteSearch {
  /** A part of the title or object name, in lower case; empty for all. */
  readonly text: string;
  readonly limit: number;
}

/** The extension point for palette entries. */
export const PalettePoint = extensionPoint<PaletteSource>("workflows.palette");

/** Lists what a caller can insert: node types first, then objects of the workspace. */
export async function listPalette(
  ctx: ReadContext,
  text: string,
): Promise<{ entries: PaletteEntry[]; truncated: boolean }> {
  const search = { text: text.toLowerCase(), limit: ENTRIES_MAX + 1 };
  const entries = nodeTypesOf(ctx.services)
    .all.map(toEntry)
    .filter(({ title, type, summary }) => isFound(search, title, type, summary));
  for (const source of contributionsTo(PalettePoint, ctx.services.contributions)) {
    if (!ctx.caller.permissions.has(source.permission.name)) continue;
    entries.push(...(await source.list(ctx, search)));
  }
  return { entries: entries.slice(0, ENTRIES_MAX), truncated: entries.length > ENTRIES_MAX };
}

/** True if one of the texts contains the search text. */
export function isFound({ text }: PaletteSearch, ...texts: readonly string[]): boolean {
  return text === "" || texts.some((one) => one.toLowerCase().includes(text));
}

function toEntry({ type, summary, form }: NodeType): PaletteEntry {
  const { title, group, icon, first } = form;
  return {
    key: `node:${type}`,
    kind: "node",
    type,
    title,
    group,
    icon,
    summary,
    config: { ...first },
  };
}
