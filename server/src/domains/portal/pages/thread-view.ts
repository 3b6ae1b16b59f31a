import { randomUUID } from "node:crypto";
import { type Markup, markup } from "#kernel/html/markup.ts";
import type { Thing } from "../things.ts";
import { icon } from "./icons.ts";
import { avatar, time } from "./layout.ts";
import type { RequestAnswer } from "#domains/itsm/catalog/index.ts";
import { renderAnswerList, renderSince } from "./home-view.ts";

/** An entry of a ticket's timeline, as the operation answers. */
export interface TimelineEntry {
  readonly eventId: string;
  readonly type: string;
  readonly at: string;
  readonly actor: { readonly id: string; readonly name: string; readonly type: string };
  readonly data: Readonly<Record<string, unknown>>;
}

/** A ticket or request, with its conversation. */
export interface Thread {
  readonly thing: Pick<
    Thing,
    "kind" | "id" | "number" | "title" | "words" | "turn" | "promisedAt" | "state" | "createdAt"
  >;
  readonly description: string;
  readonly answers: readonly RequestAnswer[];
  readonly createdAt: string;
  readonly satisfaction: number | null;
  readonly isOpen: boolean;
  /** True if it waits for the visitor's confirmation that it is resolved. */
  readonly isResolved: boolean;
  /** True if a request of the visitor waits for approval. */
  readonly awaitsApproval: boolean;
  readonly entries: readonly TimelineEntry[];
  readonly userId: string;
  /** The page itself, which its forms are submitted to. */
  readonly action: string;
  /** An answer that was written and could not be sent. */
  readonly answer: string;
}

/** A ticket like a conversation: no codes, no priorities. */
export function renderThread(thread: Thread): Markup {
  const { thing, description, answers, createdAt, entries, userId, isOpen, isResolved } = thread;
  const { kind, id, number, title, words, turn, promisedAt } = thing;
  return markup`<div class="thread" data-kind="${kind}" data-id="${id}">
<div class="thread-head"><h1>${title}</h1>
<p><span class="number">${number}</span> &middot; <span class="turn-${turn}">${words}${renderSince(thing)}</span>${promisedAt !== null && isOpen && markup` <span class="promise">Expected by ${time(promisedAt)}</span>`}</p></div>
<ol class="talk">
<li class="message mine"><div class="bubble">${description === "" ? markup`<p>${title}</p>` : paragraphs(description)}${renderAnswerList(answers)}${time(createdAt)}</div></li>
${entries.map((entry) => renderEntry(entry, userId))}
</ol>
${isResolved && renderQuestion(thread)}
${thread.awaitsApproval && renderWaiting(thread)}
${!isOpen && renderRating(thread)}
${
  isOpen &&
  markup`<form class="composer" data-comment method="post" enctype="multipart/form-data" action="${thread.action}">
<input type="hidden" name="act" value="comment">
<input type="hidden" name="key" value="${randomUUID()}">
<label class="hidden" for="answer">Your reply</label>
<textarea id="answer" name="body" rows="1" maxlength="20000" placeholder="Write a reply&hellip;" required>${thread.answer}</textarea>
<label class="attach" title="Add a file">${icon("file")}<span class="hidden">Add a file</span><input class="hidden" type="file" name="files" multiple></label>
<button class="primary" aria-label="Send">${icon("send")}</button>
<p class="files" hidden></p>
<p class="problem" role="alert" hidden></p>
</form>`
}
</div>`;
}

function renderQuestion({ action }: Thread): Markup {
  return markup`<section class="card question"><strong>Is the problem solved?</strong>
<form class="acts" method="post" action="${action}"><button class="primary" name="act" value="confirm" data-act="confirm">Yes, close it</button><noscript><label>What is still not working? <input name="reason" maxlength="2000"></label></noscript><button name="act" value="reopen" data-act="reopen">No, reopen it&hellip;</button></form></section>`;
}

function renderWaiting({ action }: Thread): Markup {
  return markup`<section class="card question"><strong>Waiting for approval</strong>
<form class="acts" method="post" action="${action}"><button name="act" value="remind" data-act="remind">Remind approvers</button><button name="act" value="withdraw" data-act="withdraw">Cancel request</button></form></section>`;
}

const FACES = [
  ["1", "Very bad", "😞"],
  ["2", "Bad", "🙁"],
  ["3", "Okay", "😐"],
  ["4", "Good", "🙂"],
  ["5", "Very good", "😀"],
] as const;

function renderRating({ satisfaction, action }: Thread): Markup {
  return markup`<section class="card question"><strong>${satisfaction === null ? "How satisfied are you?" : "Thank you for your rating:"}</strong>
<form class="faces" method="post" action="${action}"><input type="hidden" name="act" value="rate">${FACES.map(
    ([score, name, face]) =>
      markup`<button name="satisfaction" value="${score}" data-rate="${score}" aria-pressed="${String(satisfaction === Number(score))}" aria-label="${name}" title="${name}">${face}</button>`,
  )}</form></section>`;
}

function renderEntry(entry: TimelineEntry, userId: string): Markup {
  const { type, at, actor, data } = entry;
  const spoken = textOf(data["body"]);
  if (type.endsWith(".comment_added") && spoken !== undefined) {
    const isMine = actor.id === userId || data["createdBy"] === userId;
    const name = textOf(data["createdByName"]) ?? actor.name;
    if (isMine)
      return markup`<li class="message mine"><div class="bubble">${paragraphs(spoken)}${time(at)}</div></li>`;
    return markup`<li class="message">${avatar(name)}<div class="bubble"><strong>${name}</strong>${paragraphs(spoken)}${time(at)}</div></li>`;
  }
  if (type.endsWith(".attachment_added")) {
    const fileId = textOf(data["fileId"]);
    const name = textOf(data["name"]) ?? "A file";
    const isMine = actor.id === userId;
    return markup`<li class="message${isMine && " mine"}"><button class="bubble attached"${fileId !== undefined && markup` data-file="${fileId}"`}>${icon("file")}<span>${name}</span></button></li>`;
  }
  const words = HAPPENED[type.slice(type.indexOf(".") + 1)];
  if (words === undefined) return markup``;
  return markup`<li class="happened">${words(actor.name, data, actor.id)} &middot; ${time(at)}</li>`;
}

/** The ticket events that requesters see, as text. */
const HAPPENED: Readonly<
  Record<string, (name: string, data: TimelineEntry["data"], actorId: string) => string>
> = {
  assigned: (name, { assigneeId }, actorId) =>
    assigneeId === actorId ? `Assigned to ${name}` : "Assigned to an agent",
  resolved: (name) => `${name} resolved the ticket`,
  reopened: () => "Reopened",
  closed: () => "Closed",
  cancelled: () => "Cancelled",
  approval_requested: (name, data) => {
    const decision = lastDecision(data);
    if (!decision) return "Sent for approval";
    return `${name} approved a step${remark(decision.comment)}`;
  },
  approval_reminded: () => "The approvers were reminded",
  approved: (name, data) => `${name} approved the request${remark(lastDecision(data)?.comment)}`,
  rejected: (name, { reason }) => `${name} rejected the request${remark(reason)}`,
  step_decided: (_, { approved, comment, decidedByName }) =>
    `${textOf(decidedByName) ?? "An approver"} ${approved === true ? "approved" : "rejected"} a step${remark(comment)}`,
  fulfilment_started: () => "Fulfilment started",
  fulfilled: () => "Fulfilled",
  merged: () => "Merged into another ticket about the same problem",
};

interface Decision {
  readonly comment: unknown;
}

/** The decision by which a request was approved. */
function lastDecision(data: TimelineEntry["data"]): Decision | undefined {
  const { decisions } = (data["approval"] ?? {}) as { readonly decisions?: readonly Decision[] };
  return decisions?.at(-1);
}

const remark = (text: unknown): string =>
  typeof text === "string" && text !== "" ? `: ${text}` : "";

function paragraphs(text: string): readonly Markup[] {
  return text
    .split(/\n{2,}/)
    .filter((part) => part.trim() !== "")
    .map((part) => markup`<p>${part.trim()}</p>`);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
