import { useNavigate, useSearch } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useState } from "react";
import { ApiError, call, type Schemas, useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { type FieldError, Form, initialValue, type Schema, toSendable } from "../../form/index.ts";
import { useActions } from "../../shell/actions.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Json } from "../../ui/json/json.tsx";
import { Keys } from "../../ui/key.tsx";
import { toDuration } from "../../ui/words.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

type Action = Schemas["ConnectorAction"];

const SOURCES: Readonly<Record<string, string>> = {
  type: "",
  document: "from its document",
  added: "added by an artifact",
};

/** Whatever a connector can do, and a place to try each. */
export function Actions({ connector }: { readonly connector: Schemas["Connector"] }) {
  const { id } = connector;
  const search = useSearch({ from: "/inside/connectors/$id" });
  const navigate = useNavigate();
  const [words, setWords] = useState("");
  const { data, error, isPending, refetch } = useOp("connectors.actions", {
    params: { id },
    query: { limit: 200 },
  });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={6} />;
  const wanted = words.trim().toLowerCase();
  const found = data.data.filter(({ name, summary }) =>
    `${name} ${summary}`.toLowerCase().includes(wanted),
  );
  const chosen = data.data.find(({ name }) => name === search.action) ?? data.data[0];
  if (!chosen) {
    return <Empty title="It has no actions">Its settings say which it has.</Empty>;
  }
  const open = (action: string): void =>
    void navigate({
      to: "/connectors/$id",
      params: { id },
      search: { ...search, action },
      replace: true,
    });
  return (
    <div className="con-split">
      <nav className="con-action-list scroll" aria-label="Actions">
        {data.data.length > 8 && (
          <TextInput
            type="search"
            aria-label="Find an action"
            placeholder="Find…"
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
        )}
        {found.map(({ name, summary, source }) => (
          <PlainButton
            key={name}
            className="con-action"
            aria-current={name === chosen.name || undefined}
            onClick={() => open(name)}
          >
            <strong className="mono cut">{name}</strong>
            <span className="muted">{summary}</span>
            {SOURCES[source] && <span className="muted con-source">{SOURCES[source]}</span>}
          </PlainButton>
        ))}
        {found.length === 0 && <p className="muted">None is like that.</p>}
      </nav>
      <TryAction key={chosen.name} connectorId={id} action={chosen} />
    </div>
  );
}

interface Outcome {
  readonly output?: unknown;
  readonly error?: Error;
  readonly tookMs: number;
}

function TryAction(props: { readonly connectorId: string; readonly action: Action }) {
  const { connectorId: id, action } = props;
  const schema = action.input as Schema;
  const refusalOf = useRefusals();
  const [input, setInput] = useState<unknown>(() => initialValue(schema));
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [outcome, setOutcome] = useState<Outcome>();
  const [isBusy, setBusy] = useState(false);
  const reason = refusalOf("connectors.invoke");
  const run = async (): Promise<void> => {
    setBusy(true);
    setErrors([]);
    const begun = performance.now();
    const tookMs = (): number => performance.now() - begun;
    try {
      const body = { action: action.name, input: toSendable(schema, input) };
      const { data } = await call("connectors.invoke", { params: { id }, body });
      setOutcome({ output: data, tookMs: tookMs() });
    } catch (failure) {
      if (failure instanceof ApiError) setErrors(failure.errors);
      const error = failure instanceof Error ? failure : new Error(String(failure));
      setOutcome({ error, tookMs: tookMs() });
    }
    setBusy(false);
  };
  useActions([
    {
      keys: "mod+Enter",
      label: "Run the action",
      run: () => void run(),
      disabled: reason,
      always: true,
    },
  ]);
  return (
    <section className="con-try scroll" aria-label={`Try ${action.name}`}>
      <header className="row">
        <h2 className="grow mono">{action.name}</h2>
        <Button
          look="main"
          disabled={reason !== undefined || isBusy}
          title={reason}
          onClick={() => void run()}
        >
          <Play /> {isBusy ? "Running…" : "Run"} <Keys keys="mod+Enter" />
        </Button>
      </header>
      <p className="muted">{action.summary}. It acts for real.</p>
      <Form
        schema={schema}
        value={input}
        onChange={setInput}
        errors={errors}
        base="/input"
        isDense
        isDisabled={reason !== undefined}
      />
      {outcome && (
        <div className="con-outcome" aria-live="polite">
          <h3>
            {outcome.error ? "It failed" : "Result"}{" "}
            <span className="muted">{toDuration(outcome.tookMs)}</span>
          </h3>
          {outcome.error && <ErrorNotice error={outcome.error} />}
          {outcome.error instanceof ApiError && outcome.error.problem["answer"] !== undefined && (
            <Json value={outcome.error.problem["answer"]} label="Answer" />
          )}
          {!outcome.error && <Json value={outcome.output} label="Result" />}
        </div>
      )}
    </section>
  );
}
