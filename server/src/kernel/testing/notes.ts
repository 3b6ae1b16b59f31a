import Type from "typebox";
import { permission } from "../access/permission.ts";
import { domain } from "../domain.ts";
import { failure } from "../operation/failure.ts";
import { resource } from "../resource/resource.ts";
import { id, line, object, patch, text, Time } from "../schema/schema.ts";

/** A minimal resource that follows all conventions, for kernel tests and measurements. */
export const NOTES_SQL = `
  create table if not exists notes (
    id           text        collate "C" primary key,
    workspace_id uuid        not null default current_setting('millrace.workspace')::uuid,
    environment  environment not null default current_setting('millrace.environment')::environment,
    title        text        collate "C" not null,
    body         text        not null,
    revision     integer     not null default 1,
    created_at   timestamptz not null,
    constraint notes_title unique (workspace_id, environment, title)
  );
  alter table notes enable row level security;
  drop policy if exists tenant on notes;
  create policy tenant on notes to millrace_app
    using (workspace_id = current_setting('millrace.workspace')::uuid
       and environment = current_setting('millrace.environment')::environment);
  grant select, insert, update, delete on notes to millrace_app;`;

const fields = { title: line(100), body: text(10_000) };
export const Note = Type.Object({ id: id("note"), ...fields, createdAt: Time }, { title: "Note" });

export const NotesRead = permission("notes:read", "Read notes", ["viewer"]);
export const NotesWrite = permission("notes:write", "Write notes", ["agent"]);
const TitleTaken = failure("title_taken", 409, "Another note has this title.", "notes_title");

export const noteResource = resource({
  name: "note",
  plural: "notes",
  effect: "ordinary",
  path: "/api/v1/notes",
  // The table exists only in tests.
  table: "notes" as never,
  idPrefix: "note",
  schema: Note,
  input: object(fields),
  change: patch(fields),
  permissions: { read: NotesRead, write: NotesWrite },
  list: { order: "id", search: ["title", "body"] },
  unique: TitleTaken,
  displayName: ({ title }) => title,
  operations: { create: { aliases: ["POST /api/notes"] } },
  docs: {
    noun: "a note",
    nouns: "notes, oldest first",
    examples: {
      id: "note_01jd0000000000000000000000",
      input: { title: "Spare keys", body: "In the red cabinet" },
      change: { body: "In the blue cabinet" },
    },
  },
});

export const {
  created: NoteCreated,
  updated: NoteUpdated,
  deleted: NoteDeleted,
} = noteResource.events;

export const notes = domain({
  name: "notes",
  summary: "Notes, for the kernel's own tests and benchmarks.",
  permissions: [NotesRead, NotesWrite],
  events: [NoteCreated, NoteUpdated, NoteDeleted],
  operations: noteResource.operations,
});
