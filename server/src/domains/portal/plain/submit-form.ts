/** The acts of the portal's forms, by the page that a form stands on. Everything is done by operations, as the visitor. */
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { PortalSession } from "../pages/session.ts";
import { BROKEN, type FullItem } from "./form-pages.ts";
import { listPlainFields, type PostedFields, readPlainValue } from "./schema-field.ts";

interface Made {
  readonly id: string;
  readonly number: string;
}

/** Does what was posted to a path of the portal, and resolves to the page to go on with. */
export async function submitForm(
  session: PortalSession,
  path: string,
  posted: PostedFields,
): Promise<string> {
  const [area = "", id = "", ...rest] = path.replace(/\/+$/, "").split("/");
  if (rest.length > 0) throw new Failure(NotFound);
  if (area === "broken" && id === "") return raise(session, posted);
  if (area === "ask" && id !== "") return ask(session, id, posted);
  if (area === "tickets" && id !== "") return speak(session, id, posted);
  if (area === "articles" && id !== "") return giveFeedback(session, id, posted);
  if (area === "") return decide(session, posted);
  throw new Failure(NotFound);
}

const first = (posted: PostedFields, name: string): string => posted.get(name)?.[0]?.trim() ?? "";

/** A second press of the button finds what the first one did. */
const keyOf = (posted: PostedFields, what: string) => {
  const key = first(posted, "key");
  return /^[\w-]{8,64}$/.test(key) ? { idempotencyKey: `portal-${what}-${key}` } : {};
};

async function raise(session: PortalSession, posted: PostedFields): Promise<string> {
  const { files = [], ...body } = readPlainValue(listPlainFields(BROKEN), posted);
  const { id, number } = await session.read<Made>("incidents.create", {
    body: { title: "", ...body },
    ...keyOf(posted, "raise"),
  });
  await attach(session, "incidents", id, files as readonly string[]);
  return session.pathTo(`/tickets/${number}`);
}

async function attach(
  session: PortalSession,
  area: "incidents" | "requests",
  id: string,
  fileIds: readonly string[],
): Promise<void> {
  for (const fileId of fileIds) {
    const idempotencyKey = `portal-attach-${fileId}`;
    await session.read(`${area}.add_attachment`, {
      params: { id },
      body: { fileId },
      idempotencyKey,
    });
  }
}

async function ask(session: PortalSession, itemId: string, posted: PostedFields): Promise<string> {
  const { form } = await session.read<FullItem>("catalog.get_item", { params: { id: itemId } });
  const values = readPlainValue(listPlainFields(form), posted);
  const { number } = await session.read<Made>("requests.submit", {
    body: { itemId, values },
    ...keyOf(posted, "ask"),
  });
  return session.pathTo(`/tickets/${number}`);
}

/** An answer, whether it works again, or how it was. */
async function speak(
  session: PortalSession,
  number: string,
  posted: PostedFields,
): Promise<string> {
  const area = number.startsWith("REQ") ? "requests" : "incidents";
  const params = { id: number };
  const reason = first(posted, "reason");
  switch (first(posted, "act")) {
    case "comment": {
      const body = first(posted, "body");
      await attach(session, area, number, posted.get("files") ?? []);
      if (body !== "") {
        const input = { params, body: { body }, ...keyOf(posted, "comment") };
        await session.read(`${area}.add_comment`, input);
      }
      break;
    }
    case "confirm":
      await session.read("incidents.close", { params });
      break;
    case "reopen":
      await session.read("incidents.reopen", { params, body: { reason } });
      break;
    case "rate": {
      const satisfaction = Number(first(posted, "satisfaction"));
      await session.read(`${area}.rate`, { params, body: { satisfaction } });
      break;
    }
    default:
      throw new Failure(NotFound);
  }
  return session.pathTo(`/tickets/${number}`);
}

async function decide(session: PortalSession, posted: PostedFields): Promise<string> {
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
  return session.pathTo("");
}

async function giveFeedback(
  session: PortalSession,
  id: string,
  posted: PostedFields,
): Promise<string> {
  const helpful = first(posted, "helpful") === "true";
  await session.read("knowledge.give_feedback", { params: { id }, body: { helpful } });
  return session.pathTo(`/articles/${id}`);
}
