/** A page: one escalation of one ticket, step by step, until somebody acknowledges it. */
import Type, { type Static } from "typebox";
import { event } from "#kernel/log/event.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { TICKET_KINDS } from "../../tickets/index.ts";
import type { PageStep } from "./policy.ts";

export const PAGE_STATES = ["paging", "acknowledged", "exhausted", "ended"] as const;

export const Page = Type.Object(
  {
    id: id("pag"),
    policyId: nullable(id("esp", "Null where somebody named whom to page")),
    ticket: Type.Object({
      kind: Type.Enum([...TICKET_KINDS]),
      id: Type.String(),
      number: Type.String(),
      title: Type.String(),
    }),
    state: Type.Enum([...PAGE_STATES], {
      description:
        "`exhausted` where nobody acknowledged any step, `ended` where there is nothing left to work on",
    }),
    round: Type.Integer({ description: "How often its steps were gone through before" }),
    step: Type.Integer({ description: "From 0" }),
    message: Type.Optional(Type.String({ description: "A word of who paged, about why" })),
    userIds: Type.Array(id("usr"), { description: "Who was paged last" }),
    nextAt: nullable(Time),
    acknowledgedBy: nullable(Type.String()),
    acknowledgedAt: nullable(Time),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Page" },
);
export type PageData = Static<typeof Page>;
export type Page = PageData & { readonly revision: number };
/** A page with the steps that its policy had when it began. */
export type StoredPage = Page & { readonly steps: readonly PageStep[]; readonly repeats: number };

const about = { resource: "page", data: Page };

export const PageSent = event("page.sent", {
  ...about,
  summary: "People were paged about a ticket: a step of its escalation.",
});
export const PageEscalated = event("page.escalated", {
  ...about,
  summary: "Nobody acknowledged a step in time, or nobody was there; the next one follows.",
});
export const PageAcknowledged = event("page.acknowledged", {
  ...about,
  summary: "Somebody who was paged, or works on such tickets, sees to it.",
});
export const PageExhausted = event("page.exhausted", {
  ...about,
  summary: "All steps were gone through, and nobody acknowledged.",
});
export const PageEnded = event("page.ended", {
  ...about,
  summary: "The ticket needs nobody any more.",
});
export const pageEvents = [PageSent, PageEscalated, PageAcknowledged, PageExhausted, PageEnded];

/** The page in responses and in the data of events. */
export function toPageData(page: StoredPage): PageData {
  const { steps: _, repeats: __, revision: ___, ...data } = page;
  return data;
}

/** The place of a page in its policy. */
export interface PagePlace {
  readonly round: number;
  readonly step: number;
}

/** The step after a place; undefined where all rounds are over. */
export function nextPlace(
  { round, step }: PagePlace,
  { steps, repeats }: Pick<StoredPage, "steps" | "repeats">,
): PagePlace | undefined {
  if (step + 1 < steps.length) return { round, step: step + 1 };
  return round < repeats ? { round: round + 1, step: 0 } : undefined;
}
