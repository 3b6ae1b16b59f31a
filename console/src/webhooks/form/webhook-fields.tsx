import { WEBHOOK_RETRY_STRATEGY, WEBHOOK_FORMAT } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import { Plus, X } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { CodeEditor } from "../../code/index.ts";
import type { Form } from "../../data/form/use-form.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid, Row } from "../../ui/layout/layout.tsx";
import { toWords } from "../../ui/words.ts";
import {
  ENVIRONMENTS,
  type HeaderRow,
  makeSecret,
  parseFilter,
  type WebhookDraft,
} from "./draft.ts";
import { EventPicker } from "./event-picker.tsx";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox, TextInput } from "../../ui/form/controls.tsx";

interface WebhookFieldsProps {
  readonly form: Form<WebhookDraft>;
  readonly isNew: boolean;
}

/** The fields of a webhook: address, events and request. */
export function WebhookFields({ form, isNew }: WebhookFieldsProps) {
  const { values: draft, change: onChange } = form;
  const isDisabled = form.refusal !== undefined;
  const part = { draft, onChange, isDisabled };
  return (
    <>
      <TextField {...form.field("name")} isRequired />
      <TextField
        {...form.field("url")}
        label="URL"
        isRequired
        type="url"
        isMono
        placeholder="https://"
        help="HTTPS address that receives the events. Example: https://example.com/hooks"
      />
      <EventPicker
        chosen={draft.events}
        onChange={(events) => onChange({ events })}
        isDisabled={isDisabled}
        error={form.field("events").errorFor("Events")}
      />
      <Condition {...part} error={form.field("filter").errorFor("Condition")} />
      {isNew && <SigningSecret form={form} />}
      <Headers
        headers={draft.headers}
        isDisabled={isDisabled}
        error={form.field("headers").errorFor("Headers")}
        onChange={(headers) => onChange({ headers })}
      />
      <Sending form={form} />
    </>
  );
}

interface PartProps {
  readonly draft: WebhookDraft;
  readonly onChange: (change: Partial<WebhookDraft>) => void;
  readonly isDisabled: boolean;
  readonly error: string | undefined;
}

/** A condition on the event's data and environment. */
function Condition({ draft, onChange, isDisabled, error }: PartProps) {
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
        <p className={isFilterWrong || error ? "field-error" : "field-help"}>
          {error ??
            (isFilterWrong
              ? "This is not a JSON object."
              : 'Optional JSON condition on fields of the event or its ticket. Example: {"ticket.priority": 1}. The preview shows the matching events.')}
        </p>
      </div>
      <fieldset className="hook-environments" disabled={isDisabled}>
        <legend>Environments</legend>
        {ENVIRONMENTS.map((environment) => (
          <label key={environment} className="row">
            <CheckBox
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
        <span className="field-help">{draft.environments.length === 0 && "All environments."}</span>
      </fieldset>
    </>
  );
}

function SigningSecret({ form }: Pick<WebhookFieldsProps, "form">) {
  return (
    <Row align="end">
      <div className="grow">
        <TextField
          {...form.field("secret")}
          label="Signing secret"
          isMono
          help="Signs every delivery, so that the receiver can verify the sender. The secret is not shown again."
        />
      </div>
      <Button type="button" onClick={() => form.change({ secret: makeSecret() })}>
        Generate
      </Button>
    </Row>
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
  const secrets = useOp("secrets.list", { query: { limit: 200 } }, { enabled: may("secrets.list") })
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
          <TextInput
            isMono
            aria-label={`Name of header ${n + 1}`}
            placeholder="X-Team"
            spellCheck={false}
            value={row.name}
            onChange={({ target }) => set(n, { name: target.value })}
          />
          <TextInput
            isMono
            aria-label={`Value of header ${n + 1}`}
            placeholder="{{secrets.NAME}}"
            list="hook-secrets"
            spellCheck={false}
            autoComplete="off"
            value={row.value}
            onChange={({ target }) => set(n, { value: target.value })}
          />
          <Button
            look="bare"
            isIcon
            type="button"
            aria-label={`Remove header ${n + 1}`}
            onClick={() => onChange(headers.filter((_, at) => at !== n))}
          >
            <X />
          </Button>
        </div>
      ))}
      <Button
        className="hook-add"
        type="button"
        onClick={() => onChange([...headers, { name: "", value: "" }])}
      >
        <Plus /> Add header
      </Button>
      {props.error !== undefined && <p className="field-error">{props.error}</p>}
    </fieldset>
  );
}

const STRATEGIES = choicesOf(WEBHOOK_RETRY_STRATEGY, {
  exponential: "Exponential: 2, 4, 8 … seconds",
  fixed: "Fixed: 30 seconds, then 2, 10 and 30 minutes",
});

const FORMATS = choicesOf(WEBHOOK_FORMAT, { millrace: "Millrace", cloudevents: "CloudEvents 1.0" });

function Sending({ form }: Pick<WebhookFieldsProps, "form">) {
  return (
    <details className="hook-sending">
      <summary>Retries, timeout and format</summary>
      <Grid min="m" className="hook-pairs">
        <NumberField {...form.field("retries")} isRequired />
        <SelectField
          {...form.field("retryStrategy")}
          label="Retry interval"
          isRequired
          options={STRATEGIES}
        />
        <NumberField {...form.field("timeoutMs")} label="Timeout (ms)" isRequired />
        <NumberField
          {...form.field("maxPerSecond")}
          label="Maximum deliveries per second"
          placeholder="No limit"
        />
        <SelectField {...form.field("format")} isRequired options={FORMATS} />
      </Grid>
    </details>
  );
}
