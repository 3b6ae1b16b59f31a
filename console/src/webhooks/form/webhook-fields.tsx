import { Plus, X } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { CodeEditor } from "../../code/index.ts";
import { Field } from "../../ui/field.tsx";
import { toWords } from "../../ui/words.ts";
import {
  ENVIRONMENTS,
  type HeaderRow,
  makeSecret,
  parseFilter,
  type WebhookDraft,
} from "./draft.ts";
import { EventPicker } from "./event-picker.tsx";

export interface WebhookFieldsProps {
  readonly draft: WebhookDraft;
  readonly onChange: (change: Partial<WebhookDraft>) => void;
  readonly isNew: boolean;
  readonly isDisabled: boolean;
  /** The server's, by JSON pointer. */
  readonly errorAt: (pointer: string) => string | undefined;
}

/** The fields of a webhook: where, what, how. */
export function WebhookFields({ draft, onChange, isNew, isDisabled, errorAt }: WebhookFieldsProps) {
  return (
    <div className="hook-fields">
      <Field label="Name" error={errorAt("/name")}>
        {(bound) => (
          <input
            {...bound}
            className="field"
            maxLength={200}
            disabled={isDisabled}
            value={draft.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        )}
      </Field>
      <Field
        label="Address"
        error={errorAt("/url")}
        help="Where events are posted. It must begin with https; a test endpoint works, too."
      >
        {(bound) => (
          <input
            {...bound}
            className="field mono"
            type="url"
            inputMode="url"
            placeholder="https://"
            spellCheck={false}
            disabled={isDisabled}
            value={draft.url}
            onChange={({ target }) => onChange({ url: target.value })}
          />
        )}
      </Field>
      <EventPicker
        chosen={draft.events}
        onChange={(events) => onChange({ events })}
        isDisabled={isDisabled}
        error={errorAt("/events")}
      />
      <Condition draft={draft} onChange={onChange} isDisabled={isDisabled} errorAt={errorAt} />
      {isNew && <SigningSecret draft={draft} onChange={onChange} errorAt={errorAt} />}
      <Headers
        headers={draft.headers}
        isDisabled={isDisabled}
        error={errorAt("/headers")}
        onChange={(headers) => onChange({ headers })}
      />
      <Sending draft={draft} onChange={onChange} isDisabled={isDisabled} errorAt={errorAt} />
    </div>
  );
}

type PartProps = Pick<WebhookFieldsProps, "draft" | "onChange" | "isDisabled" | "errorAt">;

/** A condition beyond the type of an event, and where it happens. */
function Condition({ draft, onChange, isDisabled, errorAt }: PartProps) {
  const isFilterWrong = parseFilter(draft.filter) === undefined;
  return (
    <>
      <div className="field-box">
        <span className="field-label">Condition</span>
        <CodeEditor
          label="Condition"
          language="json"
          isBlock
          isReadOnly={isDisabled}
          isInvalid={isFilterWrong}
          value={draft.filter}
          hint={'{ "ticket.priority": { "in": [1, 2] } }'}
          onChange={(filter) => onChange({ filter })}
        />
        <p className={isFilterWrong || errorAt("/filter") ? "field-error" : "field-help"}>
          {errorAt("/filter") ??
            (isFilterWrong
              ? "This is not a JSON object."
              : "Optional. Paths into type, actor, resource, data, before and changes, or ticket: the ticket that an event is about, also for its comments. Example: ticket.priority. The preview shows the matching events.")}
        </p>
      </div>
      <fieldset className="hook-environments" disabled={isDisabled}>
        <legend>Environments</legend>
        {ENVIRONMENTS.map((environment) => (
          <label key={environment} className="row">
            <input
              type="checkbox"
              checked={draft.environments.includes(environment)}
              onChange={({ target }) =>
                onChange({
                  environments: target.checked
                    ? [...draft.environments, environment]
                    : draft.environments.filter((one) => one !== environment),
                })
              }
            />
            {toWords(environment)}
          </label>
        ))}
        <span className="field-help">{draft.environments.length === 0 && "All of them."}</span>
      </fieldset>
    </>
  );
}

function SigningSecret({ draft, onChange, errorAt }: Omit<PartProps, "isDisabled">) {
  return (
    <Field
      label="Signing secret"
      isOptional
      error={errorAt("/secret")}
      help="Signs every delivery, so that the receiver knows it is ours. It is never shown again."
    >
      {(bound) => (
        <span className="row">
          <input
            {...bound}
            className="field mono grow"
            autoComplete="off"
            spellCheck={false}
            value={draft.secret}
            onChange={({ target }) => onChange({ secret: target.value })}
          />
          <button type="button" className="btn" onClick={() => onChange({ secret: makeSecret() })}>
            Make one
          </button>
        </span>
      )}
    </Field>
  );
}

function Headers(props: {
  readonly headers: readonly HeaderRow[];
  readonly isDisabled: boolean;
  readonly error: string | undefined;
  readonly onChange: (headers: readonly HeaderRow[]) => void;
}) {
  const { headers, onChange } = props;
  const may = useMay();
  const secrets = useOp("secrets.list", { query: { limit: 200 } }, { enabled: may("secrets:read") })
    .data?.data;
  const set = (n: number, change: Partial<HeaderRow>): void =>
    onChange(headers.map((row, at) => (at === n ? { ...row, ...change } : row)));
  return (
    <fieldset className="hook-headers" disabled={props.isDisabled}>
      <legend>
        Headers <span className="muted">(optional)</span>
      </legend>
      <datalist id="hook-secrets">
        {secrets?.map(({ name }) => (
          <option key={name} value={`{{secrets.${name}}}`} />
        ))}
      </datalist>
      {headers.map((row, n) => (
        <div key={n} className="hook-header">
          <input
            className="field mono"
            aria-label={`Name of header ${n + 1}`}
            placeholder="X-Team"
            spellCheck={false}
            value={row.name}
            onChange={({ target }) => set(n, { name: target.value })}
          />
          <input
            className="field mono"
            aria-label={`Value of header ${n + 1}`}
            placeholder="{{secrets.NAME}}"
            list="hook-secrets"
            spellCheck={false}
            autoComplete="off"
            value={row.value}
            onChange={({ target }) => set(n, { value: target.value })}
          />
          <button
            type="button"
            className="btn bare icon"
            aria-label={`Remove header ${n + 1}`}
            onClick={() => onChange(headers.filter((_, at) => at !== n))}
          >
            <X />
          </button>
        </div>
      ))}
      <button
        type="button"
        className="btn hook-add"
        onClick={() => onChange([...headers, { name: "", value: "" }])}
      >
        <Plus /> Add a header
      </button>
      {props.error !== undefined && <p className="field-error">{props.error}</p>}
    </fieldset>
  );
}

function Sending({ draft, onChange, isDisabled, errorAt }: PartProps) {
  return (
    <details className="hook-sending">
      <summary>Retries, time limit and format</summary>
      <div className="hook-pairs">
        <Field label="Retries" error={errorAt("/retries")}>
          {(bound) => (
            <input
              {...bound}
              className="field"
              type="number"
              min={0}
              max={20}
              disabled={isDisabled}
              value={draft.retries}
              onChange={({ target }) => onChange({ retries: target.valueAsNumber || 0 })}
            />
          )}
        </Field>
        <Field label="Back-off between them">
          {(bound) => (
            <select
              {...bound}
              className="field"
              disabled={isDisabled}
              value={draft.retryStrategy}
              onChange={({ target }) =>
                onChange({ retryStrategy: target.value as WebhookDraft["retryStrategy"] })
              }
            >
              <option value="exponential">2, 4, 8 … seconds</option>
              <option value="fixed">30 s, 2, 10, 30 minutes</option>
            </select>
          )}
        </Field>
        <Field label="Time limit (ms)" error={errorAt("/timeoutMs")}>
          {(bound) => (
            <input
              {...bound}
              className="field"
              type="number"
              min={100}
              max={60_000}
              disabled={isDisabled}
              value={draft.timeoutMs}
              onChange={({ target }) => onChange({ timeoutMs: target.valueAsNumber || 0 })}
            />
          )}
        </Field>
        <Field label="At most a second" isOptional error={errorAt("/maxPerSecond")}>
          {(bound) => (
            <input
              {...bound}
              className="field"
              type="number"
              min={0.1}
              max={1_000}
              step="any"
              placeholder="No limit"
              disabled={isDisabled}
              value={draft.maxPerSecond ?? ""}
              onChange={({ target }) =>
                onChange({ maxPerSecond: target.value === "" ? null : target.valueAsNumber })
              }
            />
          )}
        </Field>
        <Field label="Format">
          {(bound) => (
            <select
              {...bound}
              className="field"
              disabled={isDisabled}
              value={draft.format}
              onChange={({ target }) =>
                onChange({ format: target.value as WebhookDraft["format"] })
              }
            >
              <option value="millrace">Millrace</option>
              <option value="cloudevents">CloudEvents 1.0</option>
            </select>
          )}
        </Field>
      </div>
    </details>
  );
}
