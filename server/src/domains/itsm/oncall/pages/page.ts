/** A page: escalates a ticket step by step until acknowledged. */
import Type, { type Static } from "typebox";
import { event } from "#kernel/log/event.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { TICKET_KINDS } from "../../tickets/index.ts";
import type { PageStep } from "./policy.ts";

export const PAGE_STATES = ["paging", "acknowledged", "exhausted", "ended"] as const;

export const Page = Type.Object(
  {
    id: id("pag"),
    policyId: nullable(id("esp", "Null for a page without an escalation policy")),
    ticket: Type.Object({
      kind: Type.Enum([...TICKET_KINDS]),
      id: Type.String(),
      number: Type.String(),
      title: Type.String(),
    }),
    state: Type.Enum([...PAGE_STATES], {
      description:
        "`exhausted`: all steps ended without acknowledgement. `ended`: the ticket needs no more work",
    }),
    round: Type.Integer({ description: "Number of earlier repetitions of all steps" }),
    step: Type.Integer({ description: "From 0" }),
    message: Type.Optional(Type.String({ description: "Reason for the page" })),
    userIds: Type.Array(id("usr"), { description: "The members paged last" }),
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
/** A page with a copy of the policy steps. */
export type StoredPage = Page & { readonly steps: readonly PageStep[]; readonly repeats: number };

const about = { resource: "page", data: Page };

export const PageSent = event("page.sent", {
  ...about,
  summary: "A step of an escalation paged members about a ticket.",
});
export const PageEscalated = event("page.escalated", {
  ...about,
  summary: "A step of an escalation ended without acknowledgement. The next step follows.",
});
export const PageAcknowledged = event("page.acknowledged", {
  ...about,
  summary: "A page was acknowledged.",
});
export const PageExhausted = event("page.exhausted", {
  ...about,
  summary: "All steps of an escalation ended without acknowledgement.",
});
export const PageEnded = event("page.ended", {
  ...about,
  summary: "A page ended because the ticket needs no more work.",
});
export const pageEvents = [PageSent, PageEscalated, PageAcknowledged, PageExhausted, PageEnded];

/** The page in responses and event data. */
export function toPageData(page: StoredPage): PageData {
  const { steps: _, repeats: __, revision: ___, ...data } = page;
  return data;
}

/** The position of a page in its policy. */
export interface PagePlace {
  readonly round: number;
  readonly step: number;
}

/** The step after a position; undefined after the last round. */
export function nextPlace(
  { round, step }: PagePlace,
  { steps, repeats }: Pick<StoredPage, "steps" | "repeats">,
): PagePlace | undefined {
  if (step + 1 < steps.length) return { round, step: step + 1 };
  return round < repeats ? { round: round + 1, step: 0 } : undefined;
}
