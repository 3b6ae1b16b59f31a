/** The answers in the form of a request, for its approvers and fulfillers. */
import Type, { type Static } from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { query } from "#kernel/operation/operation.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { item } from "#kernel/operation/response.ts";
import { getTicketIdentity, ticketParams } from "../../tickets/index.ts";
import { findPersonNames } from "../../contacts/index.ts";
import { describeAnswers, type FormAnswer, listAnswers } from "../form/answers.ts";
import { items } from "../items/item-resource.ts";
import { RequestsSubmit } from "../permissions.ts";
import { FORMER_MEMBER, NamedStep, nameSteps, Person, sayDecisions } from "./approval-steps.ts";
import { EXAMPLE_REQUEST, requestKind } from "./kind.ts";
import type { RequestData } from "./request.ts";
import { requestStore } from "./store.ts";

export const RequestAnswer = Type.Object(
  {
    name: Type.String({ description: "The name of the field in `values`" }),
    title: Type.String({ description: "The title of the field in the form" }),
    text: Type.String({
      description: "Display text of the answer: option labels and member names",
    }),
    files: Type.Array(
      Type.Object({ fileId: Type.String(), name: Type.String(), bytes: Type.Integer() }),
    ),
  },
  { title: "RequestAnswer" },
);
export type RequestAnswer = Static<typeof RequestAnswer>;

export const RequestAnswers = Type.Object(
  {
    requestedBy: Person,
    requestedFor: Person,
    approvers: Type.Array(Person, {
      description: "People of the current approval step",
    }),
    approvalSteps: Type.Array(NamedStep, {
      description: "All approval steps with their decisions; empty if no approval is required",
    }),
    approvalExpiresAt: nullable(Time),
    price: nullable(Type.String({ description: "Displayed price of the item" })),
    answers: Type.Array(RequestAnswer),
  },
  { title: "RequestAnswers" },
);
export type RequestAnswers = Static<typeof RequestAnswers>;

export const getRequestAnswers = query({
  id: "requests.get_answers",
  route: `GET ${requestKind.path}/{id}/answers`,
  summary: "Get the answers of a request",
  description:
    "Returns the requester and the answers, with the titles and in the order of the form. " +
    "Answers to questions that the form no longer contains are at the end.",
  permission: RequestsSubmit,
  params: ticketParams(requestKind),
  response: item(RequestAnswers),
  example: { params: { id: EXAMPLE_REQUEST } },
  async run(ctx, { params }): Promise<RequestAnswers> {
    const { id } = await getTicketIdentity(ctx, requestKind, params.id);
    const request = await requestStore.get(ctx.tx, id);
    const { createdBy, requestedFor, approval, itemId } = request;
    const [answers, names, prices, approvalSteps] = await Promise.all([
      readAnswers(ctx, request),
      findPersonNames(ctx.tx, [createdBy, requestedFor, ...approval.approverIds]),
      findPrices(ctx.tx, [itemId]),
      nameSteps(ctx.tx, approval),
    ]);
    const person = (personId: string) => ({
      id: personId,
      name: names.get(personId) ?? FORMER_MEMBER,
    });
    return {
      requestedBy: person(createdBy),
      requestedFor: person(requestedFor),
      approvers: approval.approverIds.map(person),
      approvalSteps,
      approvalExpiresAt: approval.expiresAt ?? null,
      price: prices.get(itemId) ?? null,
      answers,
    };
  },
});

/** The answers of a request. The reader may have no access to its item. */
export async function readAnswers(
  { tx }: Pick<ReadContext, "tx">,
  { id, itemId, values }: Pick<RequestData, "id" | "itemId" | "values">,
): Promise<RequestAnswer[]> {
  const asked = await items.store.find(tx, itemId);
  const answers = listAnswers(asked?.form ?? {}, values);
  const [names, files] = await Promise.all([
    findPersonNames(tx, answers.map(({ text }) => text).filter(isPersonId)),
    answers.some(({ fileIds }) => fileIds.length > 0) ? findFiles(tx, id) : new Map(),
  ]);
  return answers.map(({ name, title, text, fileIds }: FormAnswer) => ({
    name,
    title,
    text: names.get(text) ?? text,
    files: fileIds.map((fileId) => files.get(fileId) ?? { fileId, name: "File", bytes: 0 }),
  }));
}

/** Describes a request for approvers: requester, item, price and answers. */
export async function describeRequest(
  ctx: Pick<ReadContext, "tx">,
  request: Pick<
    RequestData,
    "id" | "itemId" | "values" | "title" | "createdBy" | "requestedFor" | "description" | "approval"
  >,
): Promise<string> {
  const { itemId, title, createdBy, requestedFor, description } = request;
  const [answers, names, prices, steps] = await Promise.all([
    readAnswers(ctx, request),
    findPersonNames(ctx.tx, [createdBy, requestedFor]),
    findPrices(ctx.tx, [itemId]),
    nameSteps(ctx.tx, request.approval),
  ]);
  const asker = names.get(createdBy) ?? "Somebody";
  const isForOther = requestedFor !== createdBy;
  const whom = isForOther ? ` for ${names.get(requestedFor) ?? "another person"}` : "";
  const price = prices.get(itemId);
  const lines = [
    `${asker} requests ${title}${whom}.`,
    price !== undefined && `Price: ${price}`,
    describeAnswers(answers),
    description,
    sayDecisions(steps),
  ];
  return lines.filter((line) => line !== false && line !== "").join("\n");
}

/** The formatted prices of items with a price. */
export async function findPrices(
  tx: ReadContext["tx"],
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (itemIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom("catalog_items")
    .select(["id", "price"])
    .where("id", "in", [...new Set(itemIds)])
    .execute();
  return new Map(rows.flatMap(({ id, price }) => (price === null ? [] : [[id, price]])));
}

const isPersonId = (text: string): boolean => /^(usr|cnt)_[0-9a-z]{26}$/.test(text);

async function findFiles(
  tx: ReadContext["tx"],
  requestId: string,
): Promise<ReadonlyMap<string, RequestAnswer["files"][number]>> {
  const rows = await tx
    .selectFrom("ticket_attachments")
    .select(["file_id", "name", "bytes"])
    .where("ticket_id", "=", requestId)
    .execute();
  return new Map(
    rows.map(({ file_id: fileId, name, bytes }) => [
      fileId,
      { fileId, name, bytes: Number(bytes) },
    ]),
  );
}
