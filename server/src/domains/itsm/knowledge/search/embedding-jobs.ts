/**
 * From texts to vectors. What happens to an article or a ticket is heard from the log; a job for each
 * then embeds its text outside of any transaction, and keeps the vectors if the text is still the same.
 * Only what can be found has vectors: published articles, resolved incidents, known errors.
 */
import Type from "typebox";
import { TicketKindPoint } from "../../tickets/index.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { job } from "#kernel/work/job.ts";
import { reader } from "#kernel/readers/reader.ts";
import { chunksOf } from "./chunk.ts";
import { hasVectors, saveVectors, type IndexedItem, type IndexedKind } from "./vector-store.ts";

/** A long article has many pieces, and the model may have much else to do. */
const ARTICLE_TIMEOUT_MS = 15 * 60_000;
const TICKET_TIMEOUT_MS = 2 * 60_000;
/** Nobody looks for what was resolved a moment ago; what is changed meanwhile is embedded once. */
const TICKET_DELAY_MS = 60_000;
const TICKET_CHARACTERS_MAX = 2_000;

const payload = Type.Object({
  kind: Type.Enum(["article", "incident", "problem"]),
  id: Type.String(),
  workspace: Type.String(),
  environment: Type.Enum(["production", "staging", "development"]),
});

/** What a thing's vectors are made of; nothing when it is not to be found. */
type Texts = readonly string[];

interface Embedded {
  readonly texts: Texts;
  readonly vectors: readonly Float32Array[];
}

/** Both kinds of job do the same; tickets, of which there may be many, must not keep articles waiting. */
function embeddingJob(kind: string, bounds: { timeoutMs: number; concurrency: number }) {
  return job({
    kind,
    payload,
    ...bounds,
    async effect(platform, thing, { signal }): Promise<Embedded> {
      const texts = await platform.db.read(thing, (tx) => textsOf(tx, platform, thing));
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        signal.throwIfAborted();
        // Whoever stops a server should not have to wait for a manual; it is embedded by the next one.
        platform.shutdown.throwIfAborted();
        vectors.push(await platform.embeddings.embed(`${kind} ${thing.workspace}`, text));
      }
      return { texts, vectors };
    },
    async run({ tx, services }, thing, { texts, vectors }) {
      const now = await textsOf(tx, services, thing);
      // It was changed meanwhile: the event that tells of it brings the next turn.
      if (JSON.stringify(now) !== JSON.stringify(texts)) return;
      if (vectors.length > 0 || (await hasVectors(tx, thing)))
        await saveVectors(tx, thing, vectors);
    },
  });
}

export const embedArticle = embeddingJob("knowledge.embed_article", {
  timeoutMs: ARTICLE_TIMEOUT_MS,
  concurrency: 2,
});
export const embedTicket = embeddingJob("knowledge.embed_ticket", {
  timeoutMs: TICKET_TIMEOUT_MS,
  concurrency: 1,
});

export const articleReader = reader({
  name: "knowledge.articles",
  on: ["article.published", "article.updated", "article.restored", "article.retired"],
  startsAt: "beginning",
  async handle({ because }, events) {
    for (const event of events) {
      const { workspace, environment, resource } = event;
      const thing = { kind: "article" as const, id: resource.id, workspace, environment };
      because(event).enqueue(embedArticle, thing, { key: resource.id });
    }
  },
});

export const ticketReader = reader({
  name: "knowledge.tickets",
  on: ["incident.resolved", "problem.*"],
  startsAt: "beginning",
  async handle({ because, now }, events) {
    const dueAt = new Date(now.getTime() + TICKET_DELAY_MS);
    for (const event of events) {
      const { workspace, environment, resource, type } = event;
      const kind = type.startsWith("incident.") ? ("incident" as const) : ("problem" as const);
      const thing = { kind, id: resource.id, workspace, environment };
      because(event).enqueue(embedTicket, thing, { key: resource.id, dueAt });
    }
  },
});

/** The states in which a ticket is worth finding. */
export const FINDABLE: Readonly<Record<Exclude<IndexedKind, "article">, readonly string[]>> = {
  incident: ["resolved", "closed"],
  problem: ["known_error"],
};

async function textsOf(
  tx: Tx,
  { contributions }: Pick<PlatformServices | Platform, "contributions">,
  { kind, id }: IndexedItem,
): Promise<Texts> {
  if (kind === "article") return articleTexts(tx, id);
  const table = contributionsTo(TicketKindPoint, contributions).find(
    (one) => one.kind === kind,
  )?.table;
  if (table === undefined) return [];
  const text = `select title, description from ${table} where id = $1 and state = any($2::text[])`;
  const [row] = await queryRows(tx, text, [id, FINDABLE[kind]]);
  // Every table of tickets has these columns.
  return row ? [ticketText(row as unknown as TicketTexts)] : [];
}

/** What a ticket says. */
export interface TicketTexts {
  readonly title: string;
  readonly description: string | null;
}

/** What a ticket is compared by. */
export function ticketText({ title, description }: TicketTexts): string {
  return `${title}. ${description ?? ""}`.slice(0, TICKET_CHARACTERS_MAX);
}

async function articleTexts(tx: Tx, id: string): Promise<Texts> {
  const text = "select title, plain from articles where id = $1 and state = 'published'";
  const [row] = await queryRows(tx, text, [id]);
  return row ? chunksOf(String(row["title"]), String(row["plain"])) : [];
}
