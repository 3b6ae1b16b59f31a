/**
 * The page of an approval link. Opening it decides nothing, because mail scanners follow links; the person must
 * confirm. The decision uses the same operation as the portal, with the current rights of the person.
 */
import Type from "typebox";
import {
  findMemberNames,
  findRights,
  needsStrongSignIn,
} from "#domains/identity/accounts/index.ts";
import type { RequestAnswers } from "#domains/itsm/catalog/index.ts";
import { workspaceOf } from "#domains/workspaces/index.ts";
import { type Caller, systemCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { FailureWithPage, htmlErrorRendering } from "#kernel/html/error-page.ts";
import { document, markup } from "#kernel/html/markup.ts";
import { dataOfResponse, operationCallerFor } from "#kernel/operation/call-operation.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { APPROVAL_PURPOSE, APPROVE } from "./approval-link.ts";
import { type SignedLink, verifyLink } from "./signed-link.ts";

const Token = Type.String({ pattern: "^[A-Za-z0-9_-]{1,600}\\.[A-Za-z0-9_-]{43}$" });
const EXAMPLE = `${"A".repeat(200)}.${"A".repeat(43)}`;
const PATH = "/portal/-/decide/{token}";
const REASON_CHARACTERS_MAX = 2_000;

interface Request {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly state: string;
}

/** The data that an approver needs for a decision. */
interface Asked {
  readonly request: Request;
  readonly asked: RequestAnswers;
  readonly workspace: string;
}

export const showApproval = query({
  id: "portal.approval_page",
  route: `GET ${PATH}`,
  summary: "Show the approval form of an e-mail link",
  description:
    "The link in the e-mail is valid for one week. Opening it does not record a decision.",
  access: "public",
  params: object({ token: Token }),
  response: html(htmlErrorRendering),
  fails: [NotFound],
  example: { params: { token: EXAMPLE } },
  async prepare(platform, { params: { token } }, caller) {
    const { link, read } = await openLink(platform, caller, token);
    return renderQuestion({ token, choice: link.choice, about: await read() });
  },
  run: async (_ctx, _input, page) => page,
});

export const sendApproval = command({
  id: "portal.decide",
  route: `POST ${PATH}`,
  summary: "Approve or reject a request by e-mail link",
  description:
    "The decision is recorded for the recipient of the e-mail, with the recipient's current permissions.",
  access: "public",
  acceptsForm: true,
  params: object({ token: Token }),
  body: object({
    decision: Type.Enum(["approve", "reject"]),
    reason: Type.Optional(Type.String({ maxLength: REASON_CHARACTERS_MAX })),
    step: Type.Optional(Type.String({ pattern: "^[0-9]{1,2}$" })),
  }),
  response: html(htmlErrorRendering),
  emits: [],
  // It writes nothing itself: it calls an operation, which emits its own events.
  ephemeral: true,
  actsOutside: true,
  fails: [NotFound],
  example: { params: { token: EXAMPLE }, body: { decision: "approve" } },
  async prepare(platform, { params: { token }, body: { decision, reason = "", step } }, caller) {
    const { link, read, perform } = await openLink(platform, caller, token);
    const params = { id: link.ticketId };
    const remark = decision === "reject" ? { reason } : reason === "" ? {} : { comment: reason };
    const body = { ...remark, ...(step !== undefined && { step: Number(step) }) };
    try {
      await perform(`requests.${decision}`, { params, body });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const isUnexplained = decision === "reject" && reason === "";
      const problem = isUnexplained ? "Enter a reason to reject the request." : error.message;
      const page = renderQuestion({ token, choice: link.choice, about: await read(), problem });
      throw new FailureWithPage(error, page);
    }
    const words = decision === "approve" ? "You approved" : "You rejected";
    const { request, workspace } = await read();
    const { number, title } = request;
    return document({
      title: words,
      site: workspace,
      body: markup`<h1>${words}</h1><p>${number} ${title}</p>`,
    });
  },
  run: async (_ctx, _input, page) => page,
});

/** Opens a link with the means to act as its person; throws a 404 if they may not act, or no longer. */
async function openLink(platform: Platform, caller: Caller, token: string) {
  const nowMs = platform.clock.nowMs();
  const link = verifyLink(platform.masterKey, { purpose: APPROVAL_PURPOSE, token, nowMs });
  if (!link) throw new Failure(NotFound, { detail: "The link is invalid or has expired." });
  const { workspace, environment, personId, ticketId } = link;
  const partition = { workspace, environment };
  const rights = await findRights(platform, workspace, { runAs: personId, permissions: null });
  if (!rights || (await needsStrongSignIn(platform.db, workspace, personId))) {
    throw new Failure(NotFound);
  }
  const [member] = await platform.db.read(partition, (tx) => findMemberNames(tx, [personId]));
  const { requestId, address, origin } = caller;
  const approver: Caller = {
    ...systemCaller(partition, caller.cause),
    ...rights,
    requestId,
    address,
    origin,
    actor: { type: "user", id: personId, name: member?.name ?? "Unknown user" },
  };
  const perform = operationCallerFor(platform, approver, "/portal/-/decide");
  const read = async (): Promise<Asked> => {
    const params = { id: ticketId };
    const [request, answers, { name }] = await Promise.all([
      perform("requests.get", { params }),
      perform("requests.get_answers", { params }),
      platform.db.read(partition, (tx) => workspaceOf(tx, workspace)),
    ]);
    // The data was validated by the operations' schemas.
    return {
      request: dataOfResponse(request) as Request,
      asked: dataOfResponse(answers) as RequestAnswers,
      workspace: name,
    };
  };
  return { link, perform, read };
}

interface Question {
  readonly token: string;
  readonly choice: SignedLink["choice"];
  readonly about: Asked;
  readonly problem?: string;
}

function renderQuestion({ token, choice, about, problem }: Question) {
  const { request, workspace } = about;
  const { answers, requestedBy, requestedFor, price, approvalSteps: steps } = about.asked;
  const whom = requestedFor.id === requestedBy.id ? "" : ` for ${requestedFor.name}`;
  const { number, title, state } = request;
  const pending = steps.findIndex((step) => step.state === "pending");
  const facts = markup`<p><strong>${requestedBy.name}</strong> requests <strong>${title}</strong>${whom} &middot; ${number}</p>
${price !== null && markup`<p>Price: ${price}</p>`}
<dl>${answers.map(({ title: name, text, files }) => markup`<dt>${name}</dt><dd>${files.length > 0 ? files.map((file) => file.name).join(", ") : text}</dd>`)}</dl>
${steps.length > 1 && markup`<p>Approval step ${String(pending + 1)} of ${String(steps.length)}</p>`}
${steps.flatMap(({ decisions }) => decisions).map(({ by, approved, comment }) => markup`<p>${by.name} ${approved ? "approved" : "rejected"}${comment !== null && `: ${comment}`}</p>`)}`;
  const page = { title, site: workspace };
  if (state !== "awaiting_approval") {
    const body = markup`<h1>${title}</h1>${facts}<p>This request no longer waits for approval.</p>`;
    return document({ ...page, body });
  }
  const [approve, reject] = [
    markup`<button class="yes" name="decision" value="approve">Approve</button>`,
    markup`<button class="no" name="decision" value="reject">Reject</button>`,
  ];
  return document({
    ...page,
    body: markup`<h1>Approve ${title}?</h1>${facts}
${problem !== undefined && markup`<p role="alert">${problem}</p>`}
<form method="post" action="${token}"><input type="hidden" name="step" value="${String(pending)}">
<label for="reason">Comment (required to reject)</label>
<textarea id="reason" name="reason" rows="3" maxlength="${REASON_CHARACTERS_MAX}"></textarea>
<div class="decision">${choice === APPROVE ? markup`${approve} ${reject}` : markup`${reject} ${approve}`}</div>
</form>`,
  });
}
