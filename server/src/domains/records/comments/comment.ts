import Type, { type Static } from "typebox";
import { event } from "#kernel/log/event.ts";
import { id, nullable, text, Time } from "#kernel/schema/schema.ts";
import { EventRecord, tableFields } from "../events.ts";
import { RecordId } from "../record.ts";

export const CommentId = id("rcm");
export const CommentBody = text(
  10_000,
  "To mention a member, enter `@[usr_…]`, or `@` and the start of the e-mail address",
);

export const RecordComment = Type.Object(
  {
    id: CommentId,
    recordId: RecordId,
    body: Type.String(),
    mentions: Type.Array(Type.String(), {
      description: "Ids of the mentioned members who can view the record",
    }),
    createdBy: Type.String(),
    createdAt: Time,
    editedAt: nullable(Time),
  },
  { title: "RecordComment" },
);
export type RecordComment = Static<typeof RecordComment>;

const about = {
  resource: "record",
  data: Type.Object({ ...tableFields, comment: RecordComment, record: EventRecord }),
} as const;
export const RecordCommentAdded = event("record.comment_added", {
  ...about,
  summary: "A comment on a record was added.",
});
export const RecordCommentEdited = event("record.comment_edited", {
  ...about,
  summary: "A comment on a record was updated.",
});
export const RecordCommentDeleted = event("record.comment_deleted", {
  ...about,
  summary: "A comment on a record was deleted.",
});
export const commentEvents = [
  RecordCommentAdded,
  RecordCommentEdited,
  RecordCommentDeleted,
] as const;

export interface CommentRow {
  readonly id: string;
  readonly record_id: string;
  readonly body: string;
  readonly mentions: string[];
  readonly created_by: string;
  readonly revision: number;
  readonly created_at: string;
  readonly edited_at: string | null;
}

export function toComment(row: CommentRow): RecordComment & { readonly revision: number } {
  const {
    id: commentId,
    record_id,
    body,
    mentions,
    created_by,
    revision,
    created_at,
    edited_at,
  } = row;
  return {
    id: commentId,
    recordId: record_id,
    body,
    mentions,
    createdBy: created_by,
    createdAt: created_at,
    editedAt: edited_at,
    revision,
  };
}
