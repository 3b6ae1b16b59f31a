import { useNavigate, useSearch } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useState } from "react";
import { ApiError, type Schemas, useOp } from "../../data/api.ts";
import { useOutcome } from "../../data/form/use-outcome.ts";
import { Form, initialValue, type Schema, toSendable } from "../../form/index.ts";
import { useActions } from "../../shell/actions.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Json } from "../../ui/json/json.tsx";
import { toDuration } from "../../ui/words.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

type Action = Schemas["ConnectorAction"];

const SOURCES: Readonly<Record<string, string>> = {
  type: "",
  document: "from the OpenAPI document",
  added: "from an artifact",
};

/** The actions of a connector, each with a test form. */
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
    return <Empty title="No actions">Configure actions in the settings.</Empty>;
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
            aria-label="Search actions"
            placeholder="Search…"
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
        {found.length === 0 && <p className="muted">No matching actions.</p>}
      </nav>
      <TryAction key={chosen.name} connectorId={id} action={chosen} />
    </div>
  );
}

function TryAction(props: { readonly connectorId: string; readonly action: Action }) {
  const { connectorId: id, action } = props;
  const schema = action.input as Schema;
  const [input, setInput] = useState<unknown>(() => initialValue(schema));
  const invoke = useOutcome("connectors.invoke");
  const { outcome, refusal } = invoke;
  const run = (): void => {
    const body = { action: action.name, input: toSendable(schema, input) };
    void invoke.run({ params: { id }, body });
  };
  useActions([
    {
      keys: "mod+Enter",
      label: "Run action",
      run,
      disabled: refusal,
      always: true,
    },
  ]);
  return (
    <section className="con-try scroll" aria-label={`Test ${action.name}`}>
      <header className="row">
        <h2 className="grow mono">{action.name}</h2>
        <CommandButton command={invoke} isMain keys="mod+Enter" onPress={run}>
          <Play /> {invoke.isBusy ? "Running…" : "Run"}
        </CommandButton>
      </header>
      <p className="muted">{action.summary}. This calls the real system.</p>
      <Form
        schema={schema}
        value={input}
        onChange={setInput}
        errors={invoke.faults}
        base="/input"
        isDense
        isDisabled={refusal !== undefined}
      />
      {outcome && (
        <div className="con-outcome" aria-live="polite">
          <h3>
            {outcome.error ? "Failed" : "Result"}{" "}
            <span className="muted">{toDuration(outcome.tookMs)}</span>
          </h3>
          {outcome.error && <ErrorNotice error={outcome.error} />}
          {outcome.error instanceof ApiError && outcome.error.problem["answer"] !== undefined && (
            <Json value={outcome.error.problem["answer"]} label="Response" />
          )}
          {outcome.reply && <Json value={outcome.reply.data} label="Result" />}
        </div>
      )}
    </section>
  );
}
