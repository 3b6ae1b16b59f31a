/**
 * A form of an operation. It handles what all dialogs need: the draft, changes, sending, the base version, errors
 * by field, and the toast with undo.
 */
import { type OperationId, type Operations, routeOf } from "@millrace/client";
import { FIELDS } from "@millrace/client/fields";
import { useState } from "react";
import type { FieldBinding, FormFrame } from "../../ui/form/binding.ts";
import { call, type Input, type Reply } from "../api.ts";
import { isConflict } from "../change.ts";
import { useRefusal } from "../people.ts";
import { tellDone } from "../use-command.ts";
import { type Base, type Draft, useDraft, type Version } from "./draft.ts";
import {
  canBeEmpty,
  type Facts,
  findProblems,
  isSame,
  placeOf,
  type Problem,
  toBody,
  toSentence,
  type Values,
} from "./form-values.ts";
import { type Attempt, listProblems, serverProblems } from "./form-problems.ts";

export type { Version };

type BodyOf<O extends OperationId> = O extends unknown
  ? Operations[O] extends { body?: infer B }
    ? NonNullable<B>
    : Record<never, never>
  : never;
type ParamsOf<O extends OperationId> = O extends unknown
  ? Operations[O] extends { params: infer P }
    ? P
    : undefined
  : never;
type KeyOf<T> = T extends unknown ? keyof T & string : never;
type ValueAt<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;

/** The body fields, combined if the form has several operations. */
export type DraftOf<O extends OperationId> = {
  readonly [K in KeyOf<BodyOf<O>>]?: ValueAt<BodyOf<O>, K> | null | undefined;
};

type ParamsOption<O extends OperationId> =
  ParamsOf<O> extends undefined
    ? { readonly params?: undefined }
    : { readonly params: ParamsOf<O> };

interface OwnOptions<O extends OperationId, D extends object, R = Reply<O>> {
  /** The initial values. Unchanged fields follow it. */
  readonly initial?: NoInfer<D> | undefined;
  readonly version?: Version<NoInfer<D>> | undefined;
  /** Fixed body fields not shown in the form. */
  readonly fixed?: Readonly<Record<string, unknown>> | undefined;
  /** Converts an entered value to the value that is sent, for example without empty lines. */
  readonly encode?: { readonly [K in keyof D]?: (value: NonNullable<NoInfer<D>[K]>) => unknown };
  /** For a draft whose fields differ from the body's. */
  readonly toBody?: (draft: D) => BodyOf<O>;
  /** The body field edited by the form, such as `fields` in a ticket. Only changes are sent. */
  readonly inside?: string;
  /** Validation beyond the schema, by field: `{ until: "must be after From" }`. */
  readonly check?: (draft: NoInfer<D>) => Readonly<Record<string, string | undefined>>;
  /** Why the form can't be sent, apart from a missing permission. */
  readonly refusal?: string | undefined;
  /** The toast message, such as "Saved."; undefined if the screen shows the result itself. */
  readonly said?: string | ((reply: R) => string | undefined) | undefined;
  /** The inverse operation, where the server does not offer undo. */
  readonly undo?: (reply: R) => Promise<unknown>;
  readonly onDone?: (reply: R) => void;
  /**
   * Called before sending the form, for example to create the caller first. Returned values are added to the
   * draft so that a second attempt does not repeat the call.
   */
  readonly before?: (draft: NoInfer<D>) => Promise<Partial<NoInfer<D>>>;
  /** Sends the draft with several calls. */
  readonly send?: (draft: D) => Promise<R>;
  /** The key under which changes are kept on this device until they are sent. */
  readonly keptAs?: string;
  /** Clears the form after sending, such as a comment box. */
  readonly startsOver?: boolean;
}

export type FormOptions<O extends OperationId, D extends object, R = Reply<O>> = ParamsOption<O> &
  OwnOptions<O, D, R>;

export interface Form<D extends object, R = unknown> extends FormFrame {
  readonly values: D;
  /**
   * Sends the form and then runs `next`, as in "Save and publish". An unchanged update is not sent, and its reply
   * is undefined.
   */
  readonly submitThen: (next: (reply: R | undefined) => Promise<unknown>) => void;
  /** Sends the form with further values, as in "Save and publish" by one request. */
  readonly submitWith: (more: Partial<D>) => void;
  readonly field: <K extends keyof D & string>(name: K) => FieldBinding<NonNullable<D[K]>>;
  readonly change: (changes: Partial<D>) => void;
  /** Returns the errors of a field and its parts, for components that show them separately. */
  readonly errorsOf: (name: string) => readonly FieldFault[];
}

/** An error at a path, without a label. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

const NO_FACTS: Facts = {};

/** Creates a form for one operation or for several, chosen at runtime (such as create and update). */
export function useForm<O extends OperationId, D extends object = DraftOf<O>, R = Reply<O>>(
  operation: O,
  options: FormOptions<O, D, R>,
): Form<D, R> {
  const { initial = {}, version, fixed, keptAs, inside } = options as OwnOptions<O, D, R>;
  const facts = (inside === undefined && FIELDS[operation]) || NO_FACTS;
  const missing = useRefusal(operation);
  const refusal = missing ?? options.refusal;
  const draft = useDraft(initial as Values, version?.etag, keptAs);
  const { values, changed, base } = draft;
  // The visible paths: errors at other paths are shown above the fields.
  const [shown] = useState(() => new Set<string>());
  const isUpdate = isPatch(operation);
  const wrong: readonly Problem[] = [
    ...findProblems(
      { ...fixed, ...values },
      factsOfDraft(facts, options, values),
      isUpdate ? changed : [],
    ),
    ...Object.entries(options.check?.(values as D) ?? {}),
  ].flatMap(([name, text]) => (text === undefined ? [] : [{ path: `/${name}`, text }]));
  const { attempt, theirs, ...sending } = useSending(operation, options, { draft, facts });
  const problems = attempt ? [...wrong, ...serverProblems(attempt, values, { wrong, inside })] : [];
  const isUnchanged = changed.length === 0 && isUpdate && fixed === undefined;
  const submit = (how: Pick<Sending<R>, "next" | "more"> = {}): void => {
    if (sending.isBusy || refusal !== undefined) return;
    if (wrong.length > 0) sending.fail(undefined);
    else void sending.send(base.etag, { ...how, isUnchanged: !!how.next && isUnchanged });
  };
  return {
    values: values as D,
    isBusy: sending.isBusy,
    isDirty: changed.length > 0,
    isUnchanged,
    refusal,
    failures: sending.failures,
    problems: listProblems(attempt, problems, shown),
    conflict: theirs && {
      fields: changed.filter((name) => !isSame(base.values[name], theirs.values[name])),
      // If the other user's values are unknown, they can't be adopted.
      takeTheirs: theirs.values === base.values ? undefined : sending.takeTheirs,
      theirs: theirs.values,
      keepMine: () => void sending.send(theirs.etag),
    },
    submit: () => submit(),
    submitThen: (next) => submit({ next }),
    submitWith: (more) => submit({ more: more as Values }),
    reset: sending.reset,
    change: (changes) => draft.change(changes as Values),
    errorsOf: (name) => {
      shown.add(`/${name}`);
      return problems
        .filter((problem) => placeOf(problem, shown) === `/${name}`)
        .map(({ path, text }) => ({ path, message: text }));
    },
    field: (name) => ({
      name,
      value: (values as Readonly<Record<string, NonNullable<D[typeof name]>>>)[name],
      onChange: (value) => draft.change({ [name]: value }),
      errorFor: (label, part = "") => {
        const path = `/${name}${part}`;
        shown.add(path);
        const problem = problems.find((one) => placeOf(one, shown) === path);
        return problem && toSentence(label, problem.text);
      },
      limits: limitsOf(facts[name], isUpdate),
      isDisabled: refusal !== undefined,
    }),
  };
}

/**
 * Reads the schema rules for validating a draft. If the draft differs from the body, only texts and numbers
 * with matching names are validated; `check` and the server validate the rest.
 */
function factsOfDraft(
  facts: Facts,
  { toBody, send }: { readonly toBody?: unknown; readonly send?: unknown },
  values: Values,
): Facts {
  if (!toBody && !send) return facts;
  const isSimple = ([name, { type }]: [string, Facts[string]]): boolean =>
    name in values && (type === "string" || type === "integer" || type === "number");
  return Object.fromEntries(Object.entries(facts).filter(isSimple)) as Facts;
}

/** Updates need no fields, but a field that can't be emptied is still marked as required. */
const limitsOf = (fact: Facts[string] = {}, isUpdate: boolean): Facts[string] =>
  isUpdate ? { ...fact, required: !canBeEmpty(fact) } : fact;

interface AnyOptions extends Omit<
  OwnOptions<never, Values>,
  "toBody" | "said" | "undo" | "onDone" | "send" | "before"
> {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly said?: string | undefined;
  readonly undo?: () => Promise<unknown>;
  readonly onDone?: () => void;
}

/**
 * Creates a form for an operation chosen at runtime. Field names are not type-checked because the union of all
 * operations would take the compiler a minute.
 */
export const useAnyForm = useForm as unknown as (
  operation: OperationId,
  options: AnyOptions,
) => Form<Values>;

type Next<R> = (reply: R | undefined) => Promise<unknown>;

interface Sending<R> {
  /** Runs after the form was sent. */
  readonly next?: Next<R> | undefined;
  /** Values that are sent in addition to the draft. */
  readonly more?: Values | undefined;
  readonly isUnchanged?: boolean;
  readonly isRetry?: boolean;
}

/** Sends a form and keeps its errors. */
function useSending<O extends OperationId, D extends object, R>(
  operation: O,
  options: FormOptions<O, D, R>,
  { draft, facts }: { readonly draft: Draft; readonly facts: Facts },
) {
  const { values, changed, base } = draft;
  const { version, onDone, before } = options as OwnOptions<O, D, R>;
  const [isBusy, setBusy] = useState(false);
  const [attempt, setAttempt] = useState<Attempt>();
  const [failures, setFailures] = useState(0);
  const [theirs, setTheirs] = useState<Base>();

  const fail = (error: unknown): void => {
    setAttempt({ error, values });
    setFailures((count) => count + 1);
  };

  const send = async (etag: string | undefined, how: Sending<R> = {}): Promise<void> => {
    const { next, more, isUnchanged = false, isRetry = false } = how;
    setBusy(true);
    setTheirs(undefined);
    try {
      const found = (await before?.(values as D)) as Values | undefined;
      if (found) draft.change(found);
      const answered = isUnchanged
        ? undefined
        : await sendForm(operation, options, { ...extend(draft, found, more), facts, etag });
      if (answered) {
        tellReply(options, answered.reply);
        setAttempt(undefined);
        if (options.startsOver) draft.reset();
        else draft.settle(answered.etag);
      }
      await next?.(answered?.reply);
      if (answered) onDone?.(answered.reply);
    } catch (error) {
      if (isRetry || !isConflict(error) || !(await meetConflict(how))) fail(error);
    }
    setBusy(false);
  };

  /** If other users changed other fields, the update is sent again with their version; otherwise the user decides. */
  const meetConflict = async (how: Sending<R>): Promise<boolean> => {
    if (!version) return false;
    const read = await version.reread?.();
    const next = read && { values: read.initial as Values, etag: read.etag };
    if (next && changed.every((name) => isSame(base.values[name], next.values[name]))) {
      await send(next.etag, { ...how, isRetry: true });
      return true;
    }
    setTheirs(next ?? { values: base.values, etag: undefined });
    setFailures((count) => count + 1);
    return true;
  };

  return {
    isBusy,
    attempt,
    failures,
    theirs,
    fail,
    send,
    takeTheirs: () => {
      if (theirs) draft.restart(theirs);
      setTheirs(undefined);
    },
    reset: () => {
      draft.reset();
      setAttempt(undefined);
      setTheirs(undefined);
    },
  };
}

/** The draft with further values, which count as changed if they were not entered. */
const extend = ({ values, changed }: Draft, found: Values = {}, more: Values = {}) => ({
  values: { ...values, ...found, ...more },
  changed: [...changed, ...Object.keys(more)],
});

function tellReply<O extends OperationId, D extends object, R>(
  { said, undo }: FormOptions<O, D, R>,
  reply: R,
): void {
  const text = typeof said === "function" ? said(reply) : said;
  tellDone(text, undo && (() => undo(reply)));
}

const isPatch = (operation: OperationId): boolean => routeOf(operation).startsWith("PATCH ");

interface Sent extends Pick<Draft, "values" | "changed"> {
  readonly facts: Facts;
  readonly etag: string | undefined;
}

async function sendForm<O extends OperationId, D extends object, R>(
  operation: O,
  options: FormOptions<O, D, R>,
  { etag, ...draft }: Sent,
): Promise<{ readonly reply: R; readonly etag: string | undefined }> {
  const { send } = options as OwnOptions<O, D, R>;
  if (send) return { reply: await send(draft.values as D), etag: undefined };
  const body = bodyOf(operation, options, draft);
  const input = { params: options.params, ...(hasFields(body, draft.facts) && { body }) };
  let answered: string | undefined;
  const reply = await call(operation, input as unknown as Input<O>, {
    ...(etag !== undefined && { ifMatch: etag }),
    onAnswer: ({ headers }) => (answered = headers.get("etag") ?? undefined),
  });
  // A form without `send` returns the reply of its operation.
  return { reply: reply as R, etag: answered };
}

/** An update contains only changed fields, so that it does not revert other users' changes. */
function bodyOf<O extends OperationId, D extends object, R>(
  operation: O,
  options: FormOptions<O, D, R>,
  draft: { readonly values: Values; readonly changed: readonly string[]; readonly facts: Facts },
): Values {
  const { values, changed, facts } = draft;
  const { fixed, inside } = options;
  if (inside !== undefined) {
    const parts = Object.fromEntries(changed.map((name) => [name, values[name] ?? null]));
    return { ...fixed, [inside]: parts };
  }
  const encoders = (options.encode ?? {}) as Readonly<Record<string, (value: unknown) => unknown>>;
  if (options.toBody) return { ...fixed, ...(options.toBody(values as D) as Values) };
  const sent = isPatch(operation)
    ? Object.fromEntries(changed.map((name) => [name, values[name]]))
    : values;
  const encoded = Object.entries(sent).map(([name, value]) => {
    const encode = value === null || value === undefined ? undefined : encoders[name];
    return [name, encode ? encode(value) : value] as const;
  });
  return { ...fixed, ...toBody(Object.fromEntries(encoded), facts) };
}

const hasFields = (body: Values, facts: Facts): boolean =>
  Object.keys(body).length > 0 || Object.values(facts).some(({ required }) => required);
