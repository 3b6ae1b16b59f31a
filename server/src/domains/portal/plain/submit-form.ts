/** The actions of portal forms, by page. All changes are made by operations, as the visitor. */
import { findHiddenFields, type Form } from "#domains/itsm/catalog/index.ts";
import { type PostedForm, readTexts } from "#kernel/html/form/form-field.ts";
import { parseForm } from "#kernel/html/form/form-values.ts";
import { Failure, Invalid, NotFound } from "#kernel/operation/failure.ts";
import type { PortalSession } from "../pages/session.ts";
import { BROKEN, type FullItem } from "./form-pages.ts";
import { listPlainFields, type Schema, toSchemaValue } from "./schema-field.ts";

interface Made {
  readonly id: string;
  readonly number: string;
}

/** The next page. */
export interface Submitted {
  readonly path: string;
  /** A message about what was skipped, although the rest succeeded. */
  readonly problem?: string;
}

/** Handles a form posted to a portal path. */
export async function submitForm(
  session: PortalSession,
  path: string,
  posted: PostedForm,
): Promise<Submitted> {
  const [area = "", id = "", ...rest] = path.replace(/\/+$/, "").split("/");
  if (rest.length > 0) throw new Failure(NotFound);
  if (area === "broken" && id === "") return raise(session, posted);
  if (area === "ask" && id !== "") return { path: await ask(session, id, posted) };
  if (area === "tickets" && id !== "") return speak(session, id, posted);
  if (area === "articles" && id !== "") return { path: await giveFeedback(session, id, posted) };
  if (area === "") return { path: await decide(session, posted) };
  throw new Failure(NotFound);
}

const first = (posted: PostedForm, name: string): string =>
  readTexts(posted, name)[0]?.trim() ?? "";

/** A second submit finds the result of the first one. */
const keyOf = (posted: PostedForm, what: string) => {
  const key = first(posted, "key");
  return /^[\w-]{8,64}$/.test(key) ? { idempotencyKey: `portal-${what}-${key}` } : {};
};

/** The value of a form, without hidden fields; throws if another field is invalid. */
function readValue(
  schema: Schema,
  posted: PostedForm,
  findHidden: (value: Readonly<Record<string, unknown>>) => ReadonlySet<string> = () => new Set(),
): Readonly<Record<string, unknown>> {
  const parsed = parseForm(listPlainFields(schema), posted);
  const value = toSchemaValue(parsed.values);
  const hidden = findHidden(value);
  const errors = [...parsed.errors].filter(([pointer]) => !hidden.has(pointer.split("/")[1] ?? ""));
  if (errors.length > 0) {
    throw new Failure(Invalid, { errors: errors.map(([path, message]) => ({ path, message })) });
  }
  return Object.fromEntries(Object.entries(value).filter(([name]) => !hidden.has(name)));
}

async function raise(session: PortalSession, posted: PostedForm): Promise<Submitted> {
  const { files = [], ...body } = readValue(BROKEN, posted);
  const { id, number } = await session.read<Made>("incidents.create", {
    body: { title: "", ...body },
    ...keyOf(posted, "raise"),
  });
  const refusals = await attach(session, "incidents", id, files as readonly string[]);
  return afterFiles(`/tickets/${number}`, `${number} was sent`, refusals);
}

/** Attaches files; a rejected file does not undo earlier steps, and is reported. */
async function attach(
  session: PortalSession,
  area: "incidents" | "requests",
  id: string,
  fileIds: readonly string[],
): Promise<readonly string[]> {
  const refusals: string[] = [];
  for (const fileId of fileIds) {
    const idempotencyKey = `portal-attach-${fileId}`;
    const params = { id };
    try {
      await session.read(`${area}.add_attachment`, { params, body: { fileId }, idempotencyKey });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      refusals.push(`${await findFileName(session, fileId)}: ${error.message}`);
    }
  }
  return refusals;
}

async function findFileName(session: PortalSession, id: string): Promise<string> {
  try {
    return (await session.read<{ readonly name: string }>("files.get", { params: { id } })).name;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return "A file";
  }
}

function afterFiles(path: string, done: string, refusals: readonly string[]): Submitted {
  if (refusals.length === 0) return { path };
  return {
    path,
    problem: `${done}, but some files were refused. ${refusals.join(" ")} Add them again below.`,
  };
}

async function ask(session: PortalSession, itemId: string, posted: PostedForm): Promise<string> {
  const { form } = await session.read<FullItem>("catalog.get_item", { params: { id: itemId } });
  const values = readValue(form, posted, (value) => findHiddenFields(form as Form, value));
  const { number } = await session.read<Made>("requests.submit", {
    body: { itemId, values },
    ...keyOf(posted, "ask"),
  });
  return `/tickets/${number}`;
}

/** A reply, a confirmation of the resolution, or a rating. */
async function speak(
  session: PortalSession,
  number: string,
  posted: PostedForm,
): Promise<Submitted> {
  const area = number.startsWith("REQ") ? "requests" : "incidents";
  const params = { id: number };
  const reason = first(posted, "reason");
  switch (first(posted, "act")) {
    case "comment": {
      const body = first(posted, "body");
      const refusals = await attach(session, area, number, readTexts(posted, "files"));
      if (body !== "") {
        const input = { params, body: { body }, ...keyOf(posted, "comment") };
        await session.read(`${area}.add_comment`, input);
      }
      return afterFiles(`/tickets/${number}`, "Your reply was sent", refusals);
    }
    case "confirm":
      await session.read("incidents.close", { params });
      break;
    case "reopen":
      await session.read("incidents.reopen", { params, body: { reason } });
      break;
    case "remind":
      await session.read("requests.remind", { params });
      break;
    case "withdraw":
      await session.read("requests.cancel", { params, body: {} });
      break;
    case "rate": {
      const satisfaction = Number(first(posted, "satisfaction"));
      await session.read(`${area}.rate`, { params, body: { satisfaction } });
      break;
    }
    default:
      throw new Failure(NotFound);
  }
  return { path: `/tickets/${number}` };
}

async function decide(session: PortalSession, posted: PostedForm): Promise<string> {
  const params = { id: first(posted, "id") };
  const reason = first(posted, "reason");
  switch (first(posted, "act")) {
    case "approve":
      await session.read("requests.approve", { params, body: {} });
      break;
    case "reject":
      await session.read("requests.reject", { params, body: { reason } });
      break;
    case "affected":
      await session.read("outages.report_affected", { params });
      break;
    default:
      throw new Failure(NotFound);
  }
  return "";
}

async function giveFeedback(
  session: PortalSession,
  id: string,
  posted: PostedForm,
): Promise<string> {
  const helpful = first(posted, "helpful") === "true";
  await session.read("knowledge.give_feedback", { params: { id }, body: { helpful } });
  return `/articles/${id}`;
}
