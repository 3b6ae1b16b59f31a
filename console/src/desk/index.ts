/** Exports for other areas. */
export { TicketPanel } from "./ticket/ticket-panel.tsx";
export { type Moment, ticketPath, useTimeline } from "./ticket-kind.ts";
export { toStream } from "./stream/moments.ts";
export { toLines } from "./bulk/results.ts";
export { kindOf } from "./ticket-kind.ts";
export { Priority } from "./queue/due-mark.tsx";
export { AnswerList, useRequestAnswers } from "./request/request-answers.tsx";
