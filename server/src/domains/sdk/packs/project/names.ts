/**
 * Names in the place of ids. A folder and a fixture have names, so that they mean the same on every installation; what
 * wants the form of an id is given one that follows from the name.
 */
import type { Static } from "typebox";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import type { Platform, ReadContext } from "#kernel/contract.ts";
import type { PackContent } from "#kernel/contributions/pack-content.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { mapJson } from "#kernel/schema/map-json.ts";
import { PACK_ITEMS_MAX } from "../descriptor.ts";
import { listContentTypes } from "../pack-items.ts";
import { type ProjectExport, TooManyItems } from "./project.ts";

/** A read in the environment that items of a kind lie in. */
export type ReadIn = <T>(environmentScoped: boolean, work: (tx: Tx) => Promise<T>) => Promise<T>;

/** Things of the workspace lie in production, whatever the environment of the request. */
export function openReads({ db }: Platform, caller: Caller): ReadIn {
  const partition = partitionOfCaller(caller);
  return (environmentScoped, work) =>
    db.read(environmentScoped ? partition : { ...partition, environment: "production" }, work);
}

/** Something of the workspace as a folder has it, but for its references. */
export interface NamedItem {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly content: object;
}

/** Everything of some kinds that the caller may read. */
export async function listItems(
  context: Pick<ReadContext, "services" | "caller">,
  types: readonly PackContent[],
  readIn: ReadIn,
): Promise<NamedItem[]> {
  const found: NamedItem[] = [];
  for (const type of types) {
    for (const { id, content } of await readKind(context, type, readIn)) {
      found.push({ id, kind: type.kind, key: type.keyOf(content as never), content });
    }
    if (found.length > PACK_ITEMS_MAX) throw new Failure(TooManyItems);
  }
  return found;
}

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

/** The kinds that can be read back, and which of them the caller may read. */
export function listSources({ services, caller }: Pick<ReadContext, "services" | "caller">) {
  const types = listContentTypes(services).filter(({ source }) => source);
  const readable = types.filter(({ permission }) => caller.permissions.has(permission.name));
  return { types, readable };
}

/** The references that stand for ids. */
export function toReferences(items: readonly NamedItem[]): ReadonlyMap<string, string> {
  return new Map(items.map(({ id, kind, key }) => [id, `pack:${kind}/${key}`]));
}

/** JSON with other texts in the place of those that a map has. */
export function replaceTexts<T>(json: T, texts: ReadonlyMap<string, string>): T {
  const replace = (leaf: unknown) => (typeof leaf === "string" ? (texts.get(leaf) ?? leaf) : leaf);
  return mapJson(json, replace) as T;
}

const REFERENCE = /^pack:([a-z_]+)\/(.+)$/;
/** Kinds whose ids have a form that is checked. */
const PREFIXES: Readonly<Record<string, string>> = { workflows: "wf", connectors: "con" };

/** Gives every reference in JSON an id, the same each time, and collects both ways. */
export class StandInIds {
  readonly #references = new Map<string, string>();
  readonly #known: ReadonlyMap<string, string>;

  /** `known` has the references of ids that may stand in their place. */
  constructor(known: ReadonlyMap<string, string>) {
    this.#known = known;
  }

  enter<T>(json: T): T {
    return mapJson(json, (leaf) => {
      const text = typeof leaf === "string" ? (this.#known.get(leaf) ?? leaf) : undefined;
      const [, kind = ""] = (text !== undefined && REFERENCE.exec(text)) || [];
      if (text === undefined || kind === "") return leaf;
      const id = `${PREFIXES[kind] ?? "ref"}_0${sha256(text).toString("hex").slice(0, 25)}`;
      this.#references.set(id, text);
      return id;
    }) as T;
  }

  leave<T>(json: T): T {
    return replaceTexts(json, this.#references);
  }
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
