/** Renders a complete form as HTML that works without scripts. */
import { type Child, h, type VNode } from "../vnode.ts";
import { renderHtml } from "../vnode-html.ts";
import { Markup } from "../markup.ts";
import { fieldView } from "./field-view.ts";
import { type FormField, type PostedForm, readTexts } from "./form-field.ts";

/** A hidden trap field that only programs fill in. No other field name starts with `$`. */
const TRAP = "$website";

/** True if a program filled in the form. */
export function isTrapped(posted: PostedForm): boolean {
  return readTexts(posted, TRAP).some((text) => text !== "");
}

/** The names that a form with these fields sends, including the trap. */
export function namesOf(fields: readonly FormField[]): ReadonlySet<string> {
  return new Set([...fields.map(({ name }) => name), TRAP]);
}

export interface FormView {
  readonly fields: readonly FormField[];
  /** The submitted texts, if the form is shown again. */
  readonly posted?: PostedForm | undefined;
  /** Error messages by field name, as complete sentences. Errors without a field appear only in the summary. */
  readonly errors?: ReadonlyMap<string, string> | undefined;
  /** A problem of the whole form. */
  readonly problem?: string | undefined;
  /** The target address. Default: the address of the page. */
  readonly action?: string;
  /** Hidden fields. */
  readonly hidden?: readonly (readonly [name: string, text: string])[];
  readonly submit: string;
  /** A second button that submits without validation. */
  readonly back?: { readonly name: string; readonly label: string };
  /** True for forms of anonymous visitors. */
  readonly isPublic?: boolean;
}

export function renderForm(form: FormView): Markup {
  const { fields, action, hidden = [], submit, back, isPublic = false } = form;
  const hasFiles = fields.some(({ input }) => input === "file");
  const attributes = { method: "post", action, enctype: hasFiles && "multipart/form-data" };
  const groups = Map.groupBy(fields, ({ group }) => group);
  return new Markup(
    renderHtml([
      ...summaryViews(form),
      h(
        "form",
        attributes,
        hidden.map(([name, value]) => h("input", { type: "hidden", name, value })),
        isPublic && trapView(),
        [...groups].flatMap(([group, own]) => groupViews(group, own, form)),
        h("div", { class: "buttons" }, [
          h("button", { type: "submit", class: "primary" }, submit),
          back &&
            h(
              "button",
              {
                type: "submit",
                class: "second",
                name: back.name,
                value: "1",
                formnovalidate: true,
              },
              back.label,
            ),
        ]),
      ),
    ]),
  );
}

function trapView(): VNode {
  return h(
    "div",
    { hidden: true },
    h("label", { for: "trap" }, "Leave this empty"),
    h("input", { id: "trap", name: TRAP, tabindex: "-1", autocomplete: "off" }),
  );
}

function groupViews(
  group: string | undefined,
  fields: readonly FormField[],
  { posted, errors }: FormView,
): readonly VNode[] {
  const views = fields.map((field) => {
    const { name } = field;
    const error = errors?.get(name);
    return fieldView(field, {
      id: idOf(name),
      texts: posted && readTexts(posted, name),
      ...(error !== undefined && { error: toSentence(field.label, error) }),
    });
  });
  return group === undefined ? views : [h("fieldset", {}, h("legend", {}, group), views)];
}

/** The error summary above the form. It has the focus and links to each field. */
function summaryViews({ fields, errors = new Map(), problem }: FormView): readonly Child[] {
  if (errors.size === 0 && problem === undefined) return [];
  const labels = new Map(fields.map(({ name, label }) => [name, label]));
  const lines = [...errors].map(([name, message]) => {
    const label = labels.get(name);
    if (label === undefined) return h("li", {}, toSentence(name.replace(/^\//, ""), message));
    const sentence = toSentence(label, message);
    const text = sentence.startsWith(label) ? sentence : `${label}: ${sentence}`;
    return h("li", {}, h("a", { href: `#${idOf(name)}` }, text));
  });
  const count = lines.length === 1 ? "1 answer" : `${lines.length} answers`;
  return [
    h(
      "div",
      { class: "alarm errors", role: "alert", tabindex: "-1", autofocus: true },
      h("p", {}, problem ?? `Please correct ${count}.`),
      lines.length > 0 && h("ul", {}, lines),
    ),
  ];
}

/** Converts an operation's message for a field, such as `must be a day`, to a sentence about the field. */
export function toSentence(label: string, message: string): string {
  return /^\p{Lu}.*[.!?]$/su.test(message) ? message : `${label} ${message}.`.trim();
}

/** A unique id for a field name. */
function idOf(name: string): string {
  const part = name.replaceAll(
    /[^A-Za-z0-9]/gu,
    (sign) => `_${sign.codePointAt(0)?.toString(36)}_`,
  );
  return `field-${part}`;
}
