import Type, { type Static } from "typebox";

/** The mail to send, by ids only. */
export const TicketMailPayloadSchema = Type.Object({
  ticketId: Type.String(),
  recipientId: Type.String(),
  eventType: Type.String(),
  commentId: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  workspace: Type.String(),
  environment: Type.Enum(["production", "staging", "development"]),
});
export type TicketMailPayload = Static<typeof TicketMailPayloadSchema>;
