/** n8n forms: their questions, and form steps inside a run. */
import type { FormField, Node } from "../../definition/index.ts";
import { toCode } from "../code-text.ts";
import {
  type Convert,
  type ConvertedNode,
  eachScript,
  findApproximations,
  type NodeContext,
  NotConvertible,
  scriptStep,
} from "../conversion.ts";
import { type Json, type JsonObject, toList, toObject, toText } from "../n8n-workflow.ts";
import { guardSteps } from "./guard-steps.ts";
import { limitOf } from "./wait-node.ts";

const FIELD_TYPES: Readonly<Record<string, FormField["type"]>> = {
  text: "text",
  textarea: "textarea",
  email: "email",
  number: "number",
  date: "date",
  dropdown: "choice",
  radio: "choice",
  checkbox: "choices",
  password: "password",
  hiddenField: "hidden",
  file: "file",
};

const FIELDS_MAX = 50;

/** The questions of a form. Other elements, such as texts, are omitted. */
export function toFormFields(all: readonly JsonObject[]): {
  readonly fields: FormField[];
  readonly isShortened: boolean;
} {
  const questions = all.filter(({ fieldType }) => fieldType !== "html");
  const used = new Set<string>();
  return {
    fields: questions.slice(0, FIELDS_MAX).map((field, index) => toFormField(field, index, used)),
    isShortened: questions.length < all.length || questions.length > FIELDS_MAX,
  };
}

/** A question. Expressions reference answers by label, so the field name follows the label. */
function toFormField(field: JsonObject, index: number, used: Set<string>): FormField {
  const { fieldLabel, fieldName, fieldType, requiredField, placeholder, fieldOptions } = field;
  const label = toText(fieldName, toText(fieldLabel, `Field ${index + 1}`)).trim();
  let name = label.slice(0, 100) === "" ? `field_${index + 1}` : label.slice(0, 100);
  for (let count = 2; used.has(name); count += 1) name = `${label.slice(0, 90)} ${count}`;
  used.add(name);
  const options = toList(toObject(fieldOptions)["values"])
    .map((one) => toText(toObject(one)["option"]).slice(0, 200).trim())
    .filter((one) => one !== "");
  const isSeveral = field["multiselect"] === true;
  const type = isSeveral ? "choices" : (FIELD_TYPES[toText(fieldType, "text")] ?? "text");
  const isChoice = type === "choice" || type === "choices";
  return {
    name,
    label: toText(fieldLabel, name).slice(0, 200) || name,
    type: isChoice && options.length === 0 ? "text" : type,
    ...(requiredField === true && { required: true }),
    ...(isChoice && options.length > 0 && { options: [...new Set(options)].slice(0, 200) }),
    ...(toText(placeholder) !== "" && { placeholder: toText(placeholder).slice(0, 200) }),
  };
}

/** The questions of a node, from fields or from JSON text. */
function listQuestions({
  defineForm = "fields",
  formFields,
  jsonOutput,
}: JsonObject): JsonObject[] {
  if (defineForm !== "json") return toList(toObject(formFields)["values"]).map(toObject);
  const text = toText(jsonOutput);
  if (text.startsWith("=")) throw new NotConvertible("uses an expression for the form fields");
  try {
    return toList(JSON.parse(text) as Json).map(toObject);
  } catch {
    throw new NotConvertible("has form questions that are not JSON");
  }
}

interface FormTexts {
  readonly title: Json;
  readonly description?: Json;
  readonly submit?: Json;
}

/** Form steps. After a timeout the items pass unchanged. */
export function formSteps(
  ctx: NodeContext,
  {
    texts,
    questions = listQuestions(ctx.node.parameters),
    shownTo,
    before = [],
    items,
  }: {
    readonly texts: FormTexts;
    readonly questions?: readonly JsonObject[];
    readonly shownTo: "link" | "sender";
    /** Steps that send the address. */
    readonly before?: readonly Node[];
    /** Code of the items from `sent`, the answers with their time. */
    readonly items: string;
  },
): ConvertedNode {
  const { id, node } = ctx;
  const { fields } = toFormFields(questions);
  const timeoutMs = limitOf(node.parameters);
  const given = Object.entries({ ...texts }).filter(
    ([name, text]) => name === "title" || toText(text) !== "",
  );
  const code = given.map(([name, text]) => `${name}: n8n.text(${toCode(text ?? "")})`).join(", ");
  const references = given.map(([name]) => [name, `{{ steps.${id}_texts.output[0].${name} }}`]);
  const guarded = guardSteps(ctx, [
    ...before,
    eachScript(
      ctx,
      `${id}_texts`,
      `({ ${code} })`,
      given.map(([, text]) => text ?? ""),
    ),
    {
      id: `${id}_wait`,
      type: "wait_for_form",
      name: node.name.slice(0, 200),
      config: {
        ...Object.fromEntries(references),
        pages: [{ fields: fields.length === 0 ? [{ name: "message", label: "Message" }] : fields }],
        shownTo,
        ...(timeoutMs !== undefined && { timeoutMs }),
      },
    },
  ]);
  const pass = scriptStep(
    ctx,
    id,
    `const sent = input.steps.${id}_wait?.output;\nreturn sent?.answers ? ${items} : input.steps.${id}_items.output;`,
  );
  return {
    steps: [...guarded.steps, pass],
    edges: [
      ...(guarded.edges ?? []),
      { from: `${id}_wait`, to: id },
      ...(timeoutMs === undefined ? [] : [{ from: `${id}_wait`, to: id, when: "timeout" }]),
      { from: `${id}_if`, to: id, when: "false" },
    ],
    approximations: [
      ...findApproximations(
        ctx,
        given.map(([, text]) => text ?? ""),
      ),
      ...findFieldApproximations(questions),
    ],
  };
}

function findFieldApproximations(questions: readonly JsonObject[]): string[] {
  const { fields, isShortened } = toFormFields(questions);
  const isByExpression = JSON.stringify(fields).includes('"=');
  const hasFiles = fields.some(({ type }) => type === "file");
  return [
    ...(isByExpression ? ["shows questions without evaluating their expressions"] : []),
    ...(isShortened ? ["does not show HTML between the questions"] : []),
    ...(hasFiles ? ["uploaded files are handles in the fields of the item"] : []),
  ];
}

const PAGE_ITEMS = "[{ ...sent.answers, submittedAt: sent.submittedAt, formMode: 'production' }]";

/** A further page of the trigger form. */
export const formPageNode: Convert = (ctx) => {
  const { options } = ctx.node.parameters;
  const { formTitle = "Form", formDescription, buttonLabel } = toObject(options);
  return formSteps(ctx, {
    texts: {
      title: toText(formTitle) === "" ? "Form" : formTitle,
      ...(formDescription !== undefined && { description: formDescription }),
      ...(buttonLabel !== undefined && { submit: buttonLabel }),
    },
    shownTo: "sender",
    items: PAGE_ITEMS,
  });
};

/** A wait that a form submission ends. Its address is `$execution.resumeFormUrl`. */
export const waitForFormNode: Convert = (ctx) => {
  const { parameters } = ctx.node;
  const { formTitle = "Form", formDescription, incomingAuthentication = "none" } = parameters;
  if (incomingAuthentication !== "none") throw new NotConvertible("requires callers to sign in");
  return formSteps(ctx, {
    texts: {
      title: toText(formTitle) === "" ? "Form" : formTitle,
      ...(formDescription !== undefined && { description: formDescription }),
    },
    shownTo: "link",
    items: PAGE_ITEMS,
  });
};
