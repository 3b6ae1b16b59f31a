/**
 * A form of an operation. It owns what every dialog wrote by itself: the draft, what is changed, whether it is being
 * sent, the version that it is based on, errors by field, the toast and its way back.
 */
import { type OperationId, type Operations, routeOf } from "@millrace/client";
import { FIELDS } from "@millrace/client/fields";
import { useState } from "react";
import type { FieldBinding, FormFrame } from "../../ui/form/binding.ts";
import { splitWords } from "../../ui/words.ts";
import { notify } from "../../ui/toast.tsx";
import { ApiError, call, type Input, type Reply } from "../api.ts";
import { describeRefusal, isConflict } from "../change.ts";
import { useRefusal } from "../people.ts";
import { type Base, type Draft, useDraft, type Version } from "./draft.ts";
import {
  canBeEmpty,
  type Facts,
  fieldOf,
  findProblems,
  isSame,
  toBody,
  toPlainProblem,
  toSentence,
  type Values,
} from "./form-values.ts";

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

/** The fields of an operation's body; of several operations, those of any. */
export type DraftOf<O extends OperationId> = {
  readonly [K in KeyOf<BodyOf<O>>]?: ValueAt<BodyOf<O>, K> | null | undefined;
};

type ParamsOption<O extends OperationId> =
  ParamsOf<O> extends undefined
    ? { readonly params?: undefined }
    : { readonly params: ParamsOf<O> };

interface OwnOptions<O extends OperationId, D extends object> {
  /** What the fields begin with. While nothing is changed, they follow it. */
  readonly initial?: NoInfer<D> | undefined;
  readonly version?: Version<NoInfer<D>> | undefined;
  /** The part of the body that nobody is asked for. */
  readonly fixed?: Readonly<Record<string, unknown>> | undefined;
  /** For a draft whose fields are not those of the body. */
  readonly toBody?: (draft: D) => BodyOf<O>;
  /** What is wrong beyond the schema, by field: `{ until: "must be after From" }`. */
  readonly check?: (draft: NoInfer<D>) => Readonly<Record<string, string | undefined>>;
  /** Why it can't be sent, beyond a missing permission. */
  readonly refusal?: string | undefined;
  /** The toast, as in "Saved."; none where the screen says it by itself. */
  readonly said?: string | ((reply: Reply<O>) => string) | undefined;
  /** The way back, where the server has none. */
  readonly undo?: (reply: Reply<O>) => Promise<unknown>;
  readonly onDone?: (reply: Reply<O>) => void;
}

export type FormOptions<O extends OperationId, D extends object> = ParamsOption<O> &
  OwnOptions<O, D>;

export interface Form<D extends object> extends FormFrame {
  readonly values: D;
  readonly field: <K extends keyof D & string>(name: K) => FieldBinding<NonNullable<D[K]>>;
  readonly change: (changes: Partial<D>) => void;
}

const NO_FACTS: Facts = {};

/** A form of an operation; of several, where one is chosen by what is known, such as create and update. */
export function useForm<O extends OperationId, D extends object = DraftOf<O>>(
  operation: O,
  options: FormOptions<O, D>,
): Form<D> {
  const facts = FIELDS[operation] ?? NO_FACTS;
  const missing = useRefusal(operation);
  const refusal = missing ?? options.refusal;
  const { initial = {}, version, fixed } = options as OwnOptions<O, D>;
  const draft = useDraft(initial as Values, version?.etag);
  const { values, changed, base } = draft;
  // The fields that are shown: what is wrong with another one is said above them.
  const [shown] = useState(() => new Set<string>());
  const isUpdate = isPatch(operation);
  const wrong = [
    // A draft of other fields than the body's is checked by `check` and by the server.
    ...findProblems(values, options.toBody ? NO_FACTS : facts, isUpdate ? changed : []),
    ...Object.entries(options.check?.(values as D) ?? {}).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, text] as const],
    ),
  ];
  const { attempt, theirs, ...sending } = useSending(operation, options, { draft, facts });
  const problems = new Map(attempt && [...serverProblems(attempt, values), ...wrong]);
  return {
    values: values as D,
    isBusy: sending.isBusy,
    isDirty: changed.length > 0,
    isUnchanged: changed.length === 0 && isUpdate && fixed === undefined,
    refusal,
    failures: sending.failures,
    problems: listProblems(attempt, problems, shown),
    conflict: theirs && {
      fields: changed.filter((name) => !isSame(base.values[name], theirs.values[name])),
      // Without their values there is nothing to take.
      takeTheirs: theirs.values === base.values ? undefined : sending.takeTheirs,
      keepMine: () => void sending.send(theirs.etag),
    },
    submit: () => {
      if (sending.isBusy || refusal !== undefined) return;
      if (wrong.length > 0) sending.fail(undefined);
      else void sending.send(base.etag);
    },
    reset: () => {
      draft.reset();
      sending.forget();
    },
    change: (changes) => draft.change(changes as Values),
    field: (name) => {
      shown.add(name);
      return {
        name,
        value: (values as Readonly<Record<string, NonNullable<D[typeof name]>>>)[name],
        onChange: (value) => draft.change({ [name]: value }),
        errorFor: (label) => {
          const problem = problems.get(name);
          return problem === undefined ? undefined : toSentence(label, problem);
        },
        limits: limitsOf(facts[name], isUpdate),
        isDisabled: refusal !== undefined,
      };
    },
  };
}

/** An update needs no field; one that can't be empty is shown as one that is required all the same. */
const limitsOf = (fact: Facts[string] = {}, isUpdate: boolean): Facts[string] =>
  isUpdate ? { ...fact, required: !canBeEmpty(fact) } : fact;

interface AnyOptions extends Omit<
  OwnOptions<never, Values>,
  "toBody" | "said" | "undo" | "onDone"
> {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly said?: string | undefined;
  readonly undo?: () => Promise<unknown>;
  readonly onDone?: () => void;
}

/**
 * A form of an operation that is known only when it is opened. Its fields are not checked, and the compiler is spared
 * the union of all operations, which takes it a minute.
 */
export const useAnyForm = useForm as unknown as (
  operation: OperationId,
  options: AnyOptions,
) => Form<Values>;

interface Attempt {
  readonly error: unknown;
  /** What each field that the server refused had then: its error goes when that changes. */
  readonly values: Values;
}

/** Sends a form, and keeps what stood in its way. */
function useSending<O extends OperationId, D extends object>(
  operation: O,
  options: FormOptions<O, D>,
  { draft, facts }: { readonly draft: Draft; readonly facts: Facts },
) {
  const { values, changed, base } = draft;
  const { version, onDone } = options as OwnOptions<O, D>;
  const [isBusy, setBusy] = useState(false);
  const [attempt, setAttempt] = useState<Attempt>();
  const [failures, setFailures] = useState(0);
  const [theirs, setTheirs] = useState<Base>();

  const fail = (error: unknown): void => {
    setAttempt({ error, values });
    setFailures((count) => count + 1);
  };

  const send = async (etag: string | undefined, isRetry = false): Promise<void> => {
    setBusy(true);
    setTheirs(undefined);
    try {
      const body = bodyOf(operation, options, { values, changed, facts });
      const input = { params: options.params, ...(hasFields(body, facts) && { body }) };
      let answered: string | undefined;
      const reply = await call(operation, input as unknown as Input<O>, {
        ...(etag !== undefined && { ifMatch: etag }),
        onAnswer: ({ headers }) => (answered = headers.get("etag") ?? undefined),
      });
      tell(options, reply);
      setAttempt(undefined);
      draft.settle(answered);
      onDone?.(reply);
    } catch (error) {
      if (isRetry || !isConflict(error) || !(await meetConflict())) fail(error);
    }
    setBusy(false);
  };

  /** Where others changed other fields, the changes are sent on their version; else the person decides. */
  const meetConflict = async (): Promise<boolean> => {
    if (!version) return false;
    const read = await version.reread?.();
    const next = read && { values: read.initial as Values, etag: read.etag };
    if (next && changed.every((name) => isSame(base.values[name], next.values[name]))) {
      await send(next.etag, true);
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
    forget: () => {
      setAttempt(undefined);
      setTheirs(undefined);
    },
  };
}

const isPatch = (operation: OperationId): boolean => routeOf(operation).startsWith("PATCH ");

/** An update sends what was changed, so that it takes nothing back that somebody else wrote. */
function bodyOf<O extends OperationId, D extends object>(
  operation: O,
  options: FormOptions<O, D>,
  draft: { readonly values: Values; readonly changed: readonly string[]; readonly facts: Facts },
): Values {
  const { values, changed, facts } = draft;
  const { fixed } = options;
  if (options.toBody) return { ...fixed, ...(options.toBody(values as D) as Values) };
  const sent = isPatch(operation)
    ? Object.fromEntries(changed.map((name) => [name, values[name]]))
    : values;
  return { ...fixed, ...toBody(sent, facts) };
}

const hasFields = (body: Values, facts: Facts): boolean =>
  Object.keys(body).length > 0 || Object.values(facts).some(({ required }) => required);

function tell<O extends OperationId, D extends object>(
  { said, undo }: FormOptions<O, D>,
  reply: Reply<O>,
): void {
  if (said === undefined) return;
  const invert =
    undo && (() => void undo(reply).catch((error: unknown) => notify(describeRefusal(error))));
  notify(typeof said === "function" ? said(reply) : said, invert);
}

function serverProblems(
  { error, values: sent }: Attempt,
  values: Values,
): readonly (readonly [string, string])[] {
  if (!(error instanceof ApiError)) return [];
  return error.errors
    .map((one) => [fieldOf(one), toPlainProblem(one.message)] as const)
    .filter(([name]) => isSame(sent[name], values[name]));
}

/** What no field tells: errors of other fields, and a refusal that is about none. */
function listProblems(
  attempt: Attempt | undefined,
  problems: ReadonlyMap<string, string>,
  shown: ReadonlySet<string>,
): readonly string[] {
  if (attempt === undefined) return [];
  const others = [...problems].filter(([name]) => !shown.has(name));
  const told = others.map(([name, problem]) => toSentence(splitWords(name), problem));
  const { error } = attempt;
  const isToldByField = error instanceof ApiError && error.errors.length > 0;
  if (error === undefined || isToldByField) return told;
  return [describeRefusal(error), ...told];
}
