/**
 * Embeds texts. Readers enqueue a job for each changed article or ticket. The job embeds the text outside of a
 * transaction, and stores the vectors if the text has not changed. Only findable items have vectors: published
 * articles, resolved incidents and known errors.
 */
import Type from "typebox";
import { TicketKindPoint } from "../../tickets/index.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { job } from "#kernel/work/job.ts";
import { reader } from "#kernel/readers/reader.ts";
import { titledChunks } from "#kernel/embedding/chunk.ts";
import { hasVectors, saveVectors, type IndexedItem, type IndexedKind } from "./vector-store.ts";

/** A long article has many chunks, and the model may be busy. */
const ARTICLE_TIMEOUT_MS = 15 * 60_000;
const TICKET_TIMEOUT_MS = 2 * 60_000;
/** A ticket that changes again within this delay is embedded once. */
const TICKET_DELAY_MS = 60_000;
const TICKET_CHARACTERS_MAX = 2_000;

const payload = Type.Object({
  kind: Type.Enum(["article", "incident", "problem"]),
  id: Type.String(),
  workspace: Type.String(),
  environment: Type.Enum(["production", "staging", "development"]),
});

/** The texts to embed of an item; empty if it is not findable. */
type Texts = readonly string[];

interface Embedded {
  readonly texts: Texts;
  readonly vectors: readonly Float32Array[];
}

/** Two job kinds, so that many tickets do not delay articles. */
function embeddingJob(kind: string, limits: { timeoutMs: number; concurrency: number }) {
  return job({
    kind,
    payload,
    ...limits,
    async effect(platform, item, { signal }): Promise<Embedded> {
      const texts = await platform.db.read(item, (tx) => readTexts(tx, platform, item));
      const vectors: Float32Array[] = [];
      for (const text of texts) {
        signal.throwIfAborted();
        // A stopping server does not wait for a long article. The next server embeds it.
        platform.shutdown.throwIfAborted();
        vectors.push(await platform.embeddings.embed(`${kind} ${item.workspace}`, text));
      }
      return { texts, vectors };
    },
    async run({ tx, services }, item, { texts, vectors }) {
      const current = await readTexts(tx, services, item);
      // The item changed in the meantime, and that event enqueues another job.
      if (JSON.stringify(current) !== JSON.stringify(texts)) return;
      if (vectors.length > 0 || (await hasVectors(tx, item))) await saveVectors(tx, item, vectors);
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
  on: [
    "article.published",
    "article.updated",
    "article.restored",
    "article.retired",
    "article.reinstated",
    "article.withdrawn",
  ],
  startsAt: "beginning",
  async handle({ because }, events) {
    for (const event of events) {
      const { workspace, environment, resource } = event;
      const item = { kind: "article" as const, id: resource.id, workspace, environment };
      because(event).enqueue(embedArticle, item, { key: resource.id });
    }
  },
});

export const ticketReader = reader({
  name: "knowledge.tickets",
  on: ["incident.resolved", "problem.*"],
  startsAt: "beginning",
  async handle({ because, now: current }, events) {
    const dueAt = new Date(current.getTime() + TICKET_DELAY_MS);
    for (const event of events) {
      const { workspace, environment, resource, type } = event;
      const kind = type.startsWith("incident.") ? ("incident" as const) : ("problem" as const);
      const item = { kind, id: resource.id, workspace, environment };
      because(event).enqueue(embedTicket, item, { key: resource.id, dueAt });
    }
  },
});

/** The states in which a ticket is findable. */
export const FINDABLE_STATES: Readonly<Record<Exclude<IndexedKind, "article">, readonly string[]>> =
  {
    incident: ["resolved", "closed"],
    problem: ["known_error"],
  };

async function readTexts(
  tx: Tx,
  { contributions }: Pick<PlatformServices | Platform, "contributions">,
  { kind, id }: IndexedItem,
): Promise<Texts> {
  if (kind === "article") return articleTexts(tx, id);
  const table = contributionsTo(TicketKindPoint, contributions).find(
    (ticketKind) => ticketKind.kind === kind,
  )?.table;
  if (table === undefined) return [];
  const text = `select title, description from ${table} where id = $1 and state = any($2::text[])`;
  const [row] = await queryRows<TicketTextRow>(tx, text, [id, FINDABLE_STATES[kind]]);
  return row ? [ticketText(row)] : [];
}

export interface TicketTextRow {
  readonly title: string;
  readonly description: string | null;
}

/** The text of a ticket to embed. */
export function ticketText({ title, description }: TicketTextRow): string {
  return `${title}. ${description ?? ""}`.slice(0, TICKET_CHARACTERS_MAX);
}

async function articleTexts(tx: Tx, id: string): Promise<Texts> {
  const text = "select title, plain from articles where id = $1 and state = 'published'";
  const [row] = await queryRows(tx, text, [id]);
  return row ? titledChunks(String(row["title"]), String(row["plain"])) : [];
}
