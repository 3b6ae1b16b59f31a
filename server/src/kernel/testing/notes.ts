import type { Selectable } from "kysely";
import { sql } from "kysely";
import Type, { type Static } from "typebox";
import type { Tx } from "../db/connection.ts";
import { domain } from "../domain.ts";
import { changeEvent, diffResource, event } from "../log/event.ts";
import { Failure, failure, NotFound } from "../operation/failure.ts";
import { newId } from "../schema/id.ts";
import { command, query } from "../operation/operation.ts";
import { toPage, pageQuery } from "../operation/pagination.ts";
import { permission } from "../access/permission.ts";
import { created, noContent, item, page } from "../operation/response.ts";
import { id, line, object, patch, text, Time } from "../schema/schema.ts";

/** The simplest thing that has all the conventions: what the kernel is tested and measured with. */
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
type Note = Static<typeof Note> & { readonly revision: number };

export const NotesRead = permission("notes:read", "Read notes", ["viewer"]);
export const NotesWrite = permission("notes:write", "Write notes", ["agent"]);
const TitleTaken = failure("title_taken", 409, "Another note has this title.", "notes_title");

export const NoteCreated = event("note.created", {
  resource: "note",
  summary: "A note was written.",
  data: Note,
});
export const NoteUpdated = changeEvent("note.updated", {
  resource: "note",
  summary: "A note was changed.",
  data: Note,
});
export const NoteDeleted = event("note.deleted", {
  resource: "note",
  summary: "A note was torn up.",
  data: Note,
});

interface Row {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly revision: number;
  readonly created_at: string;
}

const ById = object({ id: id("note") });
const LIST = "notes";
const example = { params: { id: "note_01jd0000000000000000000000" } };

const createNote = command({
  id: "notes.create",
  route: "POST /api/v1/notes",
  aliases: ["POST /api/notes"],
  summary: "Write a note",
  permission: NotesWrite,
  body: object(fields),
  response: created(Note, { location: (note) => `/api/v1/notes/${note.id}` }),
  emits: [NoteCreated],
  fails: [TitleTaken],
  example: { body: { title: "Spare keys", body: "In the red cabinet" } },
  async run({ tx, now, emit }, { body }) {
    const { rows } = await sql<Row>`
      insert into notes (id, title, body, created_at)
      values (${newId("note", now.getTime())}, ${body.title}, ${body.body}, ${now})
      returning id, title, body, revision, created_at`.execute(tx);
    const note = found(rows[0]);
    emit(NoteCreated, { id: note.id, displayName: note.title }, shown(note));
    return note;
  },
});

const getNote = query({
  id: "notes.get",
  route: "GET /api/v1/notes/{id}",
  summary: "Read a note",
  permission: NotesRead,
  params: ById,
  response: item(Note),
  example,
  run: ({ tx }, { params }) => read(tx, params.id),
});

const listNotes = query({
  id: "notes.list",
  route: "GET /api/v1/notes",
  summary: "List notes, oldest first",
  permission: NotesRead,
  query: object(pageQuery),
  response: page(Note),
  async run({ tx, services }, { query: { limit, after } }) {
    const start = after === undefined ? "" : String(services.cursors.decode(LIST, after)[0]);
    const { rows } = await sql<Row>`
      select id, title, body, revision, created_at from notes
       where id > ${start} order by id limit ${limit + 1}`.execute(tx);
    return toPage(rows.map(toNote), limit, shown, (note) =>
      services.cursors.encode(LIST, [note.id]),
    );
  },
});

const updateNote = command({
  id: "notes.update",
  route: "PATCH /api/v1/notes/{id}",
  summary: "Change a note",
  permission: NotesWrite,
  params: ById,
  body: patch(fields),
  response: item(Note),
  emits: [NoteUpdated],
  fails: [TitleTaken],
  example: { ...example, body: { body: "In the blue cabinet" } },
  async run(ctx, { params, body }) {
    const before = await lock(ctx.tx, params.id);
    ctx.expectRevision(before.revision);
    const { title, body: words } = { ...before, ...body };
    const { rows } = await sql<Row>`
      update notes set title = ${title}, body = ${words}, revision = revision + 1
       where id = ${params.id} returning id, title, body, revision, created_at`.execute(ctx.tx);
    const after = found(rows[0]);
    ctx.emit(NoteUpdated, { id: after.id }, diffResource(shown(before), shown(after)));
    return after;
  },
});

const deleteNote = command({
  id: "notes.delete",
  route: "DELETE /api/v1/notes/{id}",
  summary: "Tear up a note",
  permission: NotesWrite,
  params: ById,
  response: noContent(),
  emits: [NoteDeleted],
  example,
  async run(ctx, { params }) {
    const note = await lock(ctx.tx, params.id);
    ctx.expectRevision(note.revision);
    await sql`delete from notes where id = ${params.id}`.execute(ctx.tx);
    ctx.emit(NoteDeleted, { id: note.id }, shown(note));
  },
});

export const notes = domain({
  name: "notes",
  summary: "Notes, for the kernel's own tests and benchmarks.",
  permissions: [NotesRead, NotesWrite],
  events: [NoteCreated, NoteUpdated, NoteDeleted],
  operations: [createNote, getNote, listNotes, updateNote, deleteNote],
});

async function read(tx: Tx, noteId: string): Promise<Note> {
  const { rows } = await sql<Row>`
    select id, title, body, revision, created_at from notes where id = ${noteId}`.execute(tx);
  return found(rows[0]);
}

async function lock(tx: Tx, noteId: string): Promise<Note> {
  const { rows } = await sql<Row>`
    select id, title, body, revision, created_at from notes where id = ${noteId} for update`.execute(
    tx,
  );
  return found(rows[0]);
}

function found(row: Row | undefined): Note {
  if (!row) throw new Failure(NotFound);
  return toNote(row);
}

function toNote({ created_at, ...row }: Selectable<Row>): Note {
  return { ...row, createdAt: created_at };
}

function shown({ revision: _, ...note }: Note) {
  return note;
}
