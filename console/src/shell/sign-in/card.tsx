import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError, Unreachable } from "../../data/api.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

/** A step of the sign-in: fields, error and submit button. */
export function Card(props: {
  readonly title: string;
  readonly children: ReactNode;
  readonly submit?: string;
  readonly onSubmit?: () => Promise<void>;
  readonly onBack?: () => void;
  readonly back?: string;
}) {
  const { isBusy, problem, attempt } = useAttempt();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (props.onSubmit) void attempt(props.onSubmit);
  };
  return (
    <form className="sign-in-card" onSubmit={submit} aria-busy={isBusy}>
      <img src="mark.svg" width="32" height="32" alt="" />
      <h1>{props.title}</h1>
      {props.children}
      <Problem text={problem} />
      {props.submit !== undefined && (
        <Button look="main" disabled={isBusy}>
          {props.submit}
        </Button>
      )}
      {props.onBack && (
        <Button look="bare" type="button" onClick={props.onBack}>
          {props.back ?? "Back"}
        </Button>
      )}
    </form>
  );
}

/** Runs a sign-in request and keeps its error. */
export function useAttempt() {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(describe(error));
    } finally {
      setBusy(false);
    }
  };
  return { problem, isBusy, attempt };
}

function describe(error: unknown): string {
  if (error instanceof Unreachable) return "Can't reach the server. Try again.";
  if (error instanceof ApiError) return error.message;
  return error instanceof Error ? error.message : String(error);
}

export function Problem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p className="sign-in-problem" role="alert">
      {text}
    </p>
  );
}

/** A field with its label above it. */
export function Field(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: "text" | "email" | "password";
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly focus?: boolean;
  readonly minLength?: number;
  readonly optional?: boolean;
}) {
  return (
    <label>
      {props.label}
      <TextInput
        {...controlOf(props.type)}
        autoComplete={props.autoComplete}
        placeholder={props.placeholder}
        autoFocus={props.focus}
        minLength={props.minLength}
        required={props.optional !== true}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      />
      {props.hint !== undefined && <span className="sign-in-hint muted">{props.hint}</span>}
    </label>
  );
}

/** Not `type="email"`: browsers reject addresses with non-ASCII letters, such as `tomás@example.com`. */
const controlOf = (type: "text" | "email" | "password" = "text") =>
  type === "email"
    ? ({ type: "text", inputMode: "email", autoCapitalize: "none", spellCheck: false } as const)
    : { type };
