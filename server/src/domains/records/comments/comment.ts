import Type, { type Static } from "typebox";
import { event } from "#kernel/log/event.ts";
import { id, nullable, text, Time } from "#kernel/schema/schema.ts";
import { EventRecord, tableFields } from "../events.ts";
import { RecordId } from "../record.ts";

export const CommentId = id("rcm");
export const CommentBody = text(
  10_000,
  "People are named by `@[usr_…]`, or by `@` and the beginning of their address",
);

export const RecordComment = Type.Object(
  {
    id: CommentId,
    recordId: RecordId,
    body: Type.String(),
    mentions: Type.Array(Type.String(), {
      description: "The ids of those who are named, and may read it",
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
  summary: "Somebody commented on a record.",
});
export const RecordCommentEdited = event("record.comment_edited", {
  ...about,
  summary: "A comment on a record was changed.",
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
