/** The portal in a browser: pages are rendered on the server and work without scripts. */
import Type, { type Static } from "typebox";
import type { Platform } from "#kernel/contract.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { RequestAnswers } from "#domains/itsm/catalog/index.ts";
import { prefixOf } from "#domains/apps/index.ts";
import { FailureWithPage, htmlErrorRendering } from "#kernel/html/error-page.ts";
import { type PostedForm, readTexts } from "#kernel/html/form/form-field.ts";
import { toSentence } from "#kernel/html/form/form-view.ts";
import { readForm, type RefusedFile } from "#kernel/html/form/posted-form.ts";
import { markup, Markup } from "#kernel/html/markup.ts";
import {
  Failure,
  Forbidden,
  invalidField,
  invalidInput,
  MalformedRequest,
  NoSuchWorkspace,
  NotFound,
  Unauthenticated,
} from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import type { Home } from "../home.ts";
import { type FullItem, type Refused, renderBroken, renderItem } from "../plain/form-pages.ts";
import { submitForm } from "../plain/submit-form.ts";
import type { Answers } from "../search.ts";
import { sayState, type Thing } from "../things.ts";
import { renderHome, renderThings, renderTiles } from "./home-view.ts";
import { type PortalPage, renderPortal } from "./layout.ts";
import { openPortal, type PortalSession } from "./session.ts";
import { renderThread, type TimelineEntry } from "./thread-view.ts";

const Slug = Type.String({ pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$" });
const Environment = Type.Optional(
  Type.Enum(["production", "staging", "development"], {
    description: "Environment. Default: `production`",
  }),
);
const fails = [Unauthenticated, Forbidden, NotFound];

export const enterPortal = query({
  id: "portal.enter",
  route: "GET /portal",
  aliases: ["GET /portal/tickets/{number}"],
  summary: "Redirect to the portal of your workspace",
  description:
    "Redirects to the workspace in the query, or to your first workspace. Users who are not signed in must " +
    "sign in first. With a number, redirects to the page of the ticket.",
  access: "visitor",
  params: object({
    number: Type.Optional(Type.String({ pattern: "^(INC|REQ)\\d{7,15}$" })),
  }),
  query: object({ workspace: Type.Optional(Slug), environment: Environment }),
  response: html(htmlErrorRendering),
  fails: [NoSuchWorkspace],
  example: { query: { workspace: "default" } },
  async prepare(_platform, { params: { number }, query: { workspace, environment } }, caller) {
    const ticket = number === undefined ? "" : `/tickets/${number}`;
    const there = environment === undefined ? "" : `environment=${environment}`;
    if (!caller.credential) {
      const named = workspace === undefined ? "" : `workspace=${workspace}`;
      const search = [named, there].filter(Boolean).join("&");
      return askToSignIn(caller, `/portal${ticket}${search && `?${search}`}`);
    }
    const slug = workspace ?? [...caller.credential.memberships.keys()][0];
    if (slug === undefined) throw new Failure(NoSuchWorkspace);
    const prefix = prefixOf(caller.origin);
    return { goTo: `${prefix}/portal/${slug}${ticket}${there && `?${there}`}` };
  },
  run: async (_ctx, _input, page) => page,
});

/** Redirects to the console's sign-in page, which returns to a local path. */
function askToSignIn(caller: Caller, path: string) {
  const prefix = prefixOf(caller.origin);
  return { goTo: `${prefix}/login?from=${encodeURIComponent(prefix + path)}` };
}

export const openPortalPage = query({
  id: "portal.page",
  route: "GET /portal/{workspace}",
  aliases: ["GET /portal/{workspace}/*"],
  summary: "Get a page of the portal",
  description:
    "The start page, your tickets and requests (`/tickets`, `/tickets/INC0000012`), the catalog (`/ask`, " +
    "`/ask/cat_…`), the incident form (`/broken`) and articles (`/articles/art_…`). Works without JavaScript.",
  access: "visitor",
  acceptsToken: true,
  params: object({ workspace: Slug, "*": Type.Optional(Type.String({ maxLength: 200 })) }),
  query: object({
    environment: Environment,
    q: Type.Optional(
      Type.String({ maxLength: 200, description: "Search text for the start page" }),
    ),
    title: Type.Optional(
      Type.String({ maxLength: 200, description: "Initial title of the incident form" }),
    ),
  }),
  response: html(htmlErrorRendering),
  fails,
  example: { params: { workspace: "default" } },
  async prepare(platform, { params, query: asked }, caller) {
    const { workspace, "*": path = "" } = params;
    if (!caller.credential) {
      const page = path === "" ? "" : `/${path}`;
      const search = new URLSearchParams(Object.entries(asked)).toString();
      return askToSignIn(caller, `/portal/${workspace}${page}${search && `?${search}`}`);
    }
    return renderPath(platform, caller, { workspace, path, ...asked });
  },
  run: async (_ctx, _input, page) => page,
});

export const submitPortalForm = command({
  id: "portal.submit",
  route: "POST /portal/{workspace}",
  aliases: ["POST /portal/{workspace}/*"],
  summary: "Submit a form of the portal without JavaScript",
  description:
    "Used by the forms of the portal pages if JavaScript is disabled. The body is a form " +
    "(`multipart/form-data`, or `application/x-www-form-urlencoded` without files). Redirects to the next page, or " +
    "returns the same page with errors at the fields.",
  access: "visitor",
  acceptsToken: true,
  params: object({ workspace: Slug, "*": Type.Optional(Type.String({ maxLength: 200 })) }),
  query: object({ environment: Environment }),
  streamsBody: true,
  response: html(htmlErrorRendering),
  emits: [],
  // It writes nothing itself: its actions call operations, which emit their own events.
  ephemeral: true,
  actsOutside: true,
  fails: [...fails, MalformedRequest],
  example: { params: { workspace: "default", "*": "broken" } },
  async prepare(platform, { params, query: { environment } }, caller) {
    const { workspace, "*": path = "" } = params;
    if (!caller.credential) return askToSignIn(caller, `/portal/${workspace}/${path}`);
    const session = openPortal(platform, caller, { workspace, environment });
    if (!caller.upload) throw new Failure(MalformedRequest);
    const { posted, refused: files } = await readForm(caller.upload, session.upload);
    const renderAgain = async (error: Failure, at: string, refused: Refused) =>
      new FailureWithPage(
        error,
        await renderPath(platform, caller, { workspace, path: at, environment, refused }),
      );
    // If a file could not be stored, nothing is submitted: the form is shown again with the entered values.
    if (files.length > 0) {
      const error = invalidInput(toFieldErrors(files));
      throw await renderAgain(error, path, toRefused(error, posted));
    }
    try {
      const done = await submitForm(session, path, posted);
      if (done.problem === undefined) return { goTo: session.pathTo(done.path) };
      const none = { posted: new Map(), problem: done.problem };
      const error = invalidField("/files", done.problem);
      throw await renderAgain(error, done.path.slice(1), none);
    } catch (error) {
      if (!(error instanceof Failure) || error.type.status === 404) throw error;
      if (error instanceof FailureWithPage) throw error;
      throw await renderAgain(error, path, toRefused(error, posted));
    }
  },
  run: async (_ctx, _input, page) => page,
});

/** The rejected files at their fields. */
function toFieldErrors(refused: readonly RefusedFile[]) {
  return [...Map.groupBy(refused, ({ field }) => field)].map(([path, files]) => ({
    path: path.startsWith("/") ? path : `/${path}`,
    message: files.map(({ name, message }) => `The file ${name} was refused. ${message}`).join(" "),
  }));
}

/** Errors at the fields of a form: `/values/serial` of a request is `/serial` of its form. */
function toRefused({ message, particulars }: Failure, posted: PostedForm): Refused {
  const errors = (particulars.errors ?? []).map(
    (error) => [error.path.replace(/^\/values(?=\/)/, ""), error.message] as const,
  );
  return { posted, errors: new Map(errors), ...(errors.length === 0 && { problem: message }) };
}

interface Asked {
  readonly workspace: string;
  readonly path: string;
  readonly environment?: Static<typeof Environment> | undefined;
  readonly q?: string;
  readonly title?: string;
  /** A rejected form, which is shown again. */
  readonly refused?: Refused;
}

async function renderPath(platform: Platform, caller: Caller, asked: Asked) {
  const { workspace, environment } = asked;
  const session = openPortal(platform, caller, { workspace, environment });
  const [home, page] = await Promise.all([
    session.read<HomeData>("portal.home", {}),
    readPage(session, asked),
  ]);
  const look = { ...home.look, name: home.workspace.name };
  const drawn = typeof page === "function" ? page(home) : page;
  const isForm = drawn.start?.["form"] !== undefined;
  return renderPortal(session, look, isForm ? drawn : withProblem(drawn, asked.refused));
}

/** A page with the error of a rejected form at the top. */
function withProblem(page: PortalPage, refused: Refused | undefined): PortalPage {
  if (!refused) return page;
  const errors = [...(refused.errors ?? [])].map(([at, text]) => toSentence(at.slice(1), text));
  const words = refused.problem ?? errors.join(" ");
  return { ...page, body: markup`<p class="problem" role="alert">${words}</p>${page.body}` };
}

type HomeData = Static<typeof Home>;
type PageOfHome = (home: HomeData) => PortalPage;

async function readPage(session: PortalSession, asked: Asked): Promise<PortalPage | PageOfHome> {
  const [area = "", id, ...rest] = asked.path.replace(/\/+$/, "").split("/");
  if (rest.length > 0) throw new Failure(NotFound);
  if (area === "") return readFirstPage(session, asked.q?.trim() ?? "");
  if (area === "tickets" && id === undefined) return readThings(session);
  if (area === "tickets" && id !== undefined) return readThread(session, id, asked.refused);
  if (area === "ask" && id === undefined) return readCatalog(session);
  if (area === "ask" && id !== undefined) return readItem(session, id, asked.refused);
  if (area === "articles" && id !== undefined) return readArticle(session, id);
  if (area !== "broken" || id !== undefined) throw new Failure(NotFound);
  return renderBroken(session, asked.title ?? "", asked.refused);
}

async function readFirstPage(session: PortalSession, q: string): Promise<PageOfHome> {
  const answers =
    q === ""
      ? undefined
      : await session.read<Static<typeof Answers>>("portal.search", { query: { q } });
  return (home) => ({
    title: q === "" ? "Home" : q,
    body: renderHome(session, home, answers && { q, answers }),
  });
}

async function readThings(session: PortalSession): Promise<PortalPage> {
  const limit = 50;
  const [incidents, requests] = await Promise.all([
    session.read<readonly TicketData[]>("incidents.list", { query: { limit } }),
    session.read<readonly TicketData[]>("requests.list", { query: { limit } }),
  ]);
  const things = [
    ...incidents.map((ticket) => toThing("incident", ticket)),
    ...requests.map((ticket) => toThing("request", ticket)),
  ].toSorted((left, right) => right.updatedAt.localeCompare(left.updatedAt));
  return {
    title: "All my tickets",
    back: session.pathTo(""),
    body: markup`<h1>All my tickets</h1>
${things.length > 0 ? renderThings(session, things) : markup`<p class="card none">No tickets yet.</p>`}`,
  };
}

interface TicketData {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly description: string;
  readonly state: string;
  readonly onHoldReason?: string | null;
  readonly reason?: string | null;
  readonly satisfaction: number | null;
  readonly promisedAt?: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

function toThing(
  kind: "incident" | "request",
  ticket: TicketData,
  last: { readonly name: string; readonly isCaller: boolean } | null = null,
): Thing {
  const { id, number, title, state, onHoldReason, reason, createdAt, updatedAt } = ticket;
  const spoken = sayState({ kind, state, reason: onHoldReason ?? reason ?? null, last });
  return {
    kind,
    id,
    number,
    title,
    state,
    ...spoken,
    assigneeName: null,
    lastPublicComment: null,
    promisedAt: ticket.promisedAt ?? null,
    createdAt,
    updatedAt,
  };
}

/** True for the requester and the person a request is for. */
const isOwn = (userId: string, asked: RequestAnswers | undefined): boolean =>
  asked !== undefined && [asked.requestedBy.id, asked.requestedFor.id].includes(userId);

const OVER: ReadonlySet<string> = new Set(["closed", "cancelled", "fulfilled", "rejected"]);

async function readThread(
  session: PortalSession,
  number: string,
  refused?: Refused,
): Promise<PageOfHome> {
  const kind = number.startsWith("REQ") ? "request" : "incident";
  const params = { id: number };
  const [ticket, entries, asked] = await Promise.all([
    session.read<TicketData>(`${kind}s.get`, { params }),
    session.read<readonly TimelineEntry[]>(`${kind}s.get_timeline`, {
      params,
      query: { limit: 200 },
    }),
    kind === "request"
      ? session.read<RequestAnswers>("requests.get_answers", { params })
      : undefined,
  ]);
  const { user } = session;
  const inOrder = entries.toSorted((left, right) => left.eventId.localeCompare(right.eventId));
  const lastSaid = inOrder.findLast(({ type }) => type.endsWith(".comment_added"));
  const isCaller = lastSaid?.actor.id === user.id || lastSaid?.data["createdBy"] === user.id;
  const last = lastSaid ? { name: lastSaid.actor.name, isCaller } : null;
  return ({ things }) => ({
    title: ticket.title,
    back: session.pathTo(""),
    body: renderThread({
      // An open ticket comes from the home page's list, with its SLA targets.
      thing: things.find(({ id }) => id === ticket.id) ?? toThing(kind, ticket, last),
      description: ticket.description,
      answers: asked?.answers ?? [],
      createdAt: ticket.createdAt,
      satisfaction: ticket.satisfaction,
      isOpen: !OVER.has(ticket.state),
      isResolved: ticket.state === "resolved",
      awaitsApproval: ticket.state === "awaiting_approval" && isOwn(user.id, asked),
      entries: inOrder,
      userId: user.id,
      action: session.pathTo(`/tickets/${number}`),
      answer: (refused?.posted && readTexts(refused.posted, "body")[0]) ?? "",
    }),
  });
}

type Item = HomeData["items"][number];
const CATALOG_ITEMS_MAX = 200;

async function readCatalog(session: PortalSession): Promise<PortalPage> {
  const query = { limit: CATALOG_ITEMS_MAX };
  const items = await session.read<readonly Item[]>("catalog.list_items", { query });
  return {
    title: "Request something",
    back: session.pathTo(""),
    body: markup`<h1>Request something</h1>${renderTiles(session, items)}`,
  };
}

async function readItem(
  session: PortalSession,
  id: string,
  refused: Refused | undefined,
): Promise<PortalPage> {
  const item = await session.read<FullItem>("catalog.get_item", { params: { id } });
  return renderItem(session, item, refused);
}

/** Links between articles, `[How](KB0000012)`, stay in the portal and its environment. */
function linkArticles({ pathTo }: PortalSession, content: string): string {
  return content.replaceAll(
    / href="(KB\d{7,15})"/g,
    (_, number: string) => ` href="${markup`${pathTo(`/articles/${number}`)}`.text}"`,
  );
}

interface Article {
  readonly id: string;
  readonly title: string;
  readonly html: string;
  readonly updatedAt: string;
}

async function readArticle(session: PortalSession, id: string): Promise<PortalPage> {
  const { title, html: content } = await session.read<Article>("knowledge.get", {
    params: { id },
    query: { format: "html" },
  });
  return {
    title,
    back: session.pathTo(""),
    body: markup`<article class="article"><h1>${title}</h1>
${new Markup(linkArticles(session, content))}
</article>
<section class="card question" data-article="${id}"><strong>Did this help?</strong>
<form class="acts" method="post" action="${session.pathTo(`/articles/${id}`)}"><button name="helpful" value="true" data-helpful="true">Yes</button><button name="helpful" value="false" data-helpful="false">No</button></form>
<p class="more"><a href="${session.pathTo(`/broken?title=${encodeURIComponent(title)}`)}">Report a problem</a></p></section>`,
  };
}
