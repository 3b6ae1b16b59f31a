import { RUN_ENVIRONMENT } from "@millrace/client/enums";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheckBig, CircleX } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { EverybodyCombobox } from "../data/options/person-combobox.tsx";
import { useDebounced } from "../ui/behaviour/debounce.ts";
import { ErrorNotice } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Combobox } from "../ui/overlay/combobox.tsx";
import { toWords } from "../ui/words.ts";
import type { RolesSearch } from "./search.ts";
import { Select, TextInput } from "../ui/form/controls.tsx";

type Explanation = Schemas["AccessExplanation"];

const PAUSE_MS = 300;

/** Explains the permissions of a person for an operation and an optional resource, as decided by the server. */
export function Explain() {
  const search = useSearch({ from: "/inside/settings/roles" });
  const { person, operation, thing, environment } = search;
  const navigate = useNavigate();
  const operations = useOp("access.list_operations").data?.data.operations ?? [];
  const chosen = operations.find(({ id }) => id === operation);
  const ask = (change: RolesSearch): void =>
    void navigate({ to: "/settings/roles", search: { ...search, ...change }, replace: true });
  const { data, error } = useOp(
    "access.explain",
    {
      query: {
        userId: person ?? "",
        operation: operation ?? "",
        ...(thing !== undefined && { thing }),
        ...(environment && { environment }),
      },
    },
    { enabled: person !== undefined && operation !== undefined },
  );
  const isAsked = person !== undefined && operation !== undefined;
  return (
    <aside className="role-explain scroll" aria-label="Explain access">
      <h2>Explain access</h2>
      <Field label="Person">
        {(bound) => (
          <EverybodyCombobox
            id={bound.id}
            label="Person"
            value={person ?? ""}
            onChange={(value) => ask({ person: value || undefined })}
          />
        )}
      </Field>
      <Field label="Operation">
        {(bound) => (
          <Combobox
            id={bound.id}
            label="Operation"
            // Disabled until the list is loaded, because earlier input would find nothing.
            isDisabled={operations.length === 0}
            options={operations.map(({ id, summary }) => ({
              value: id,
              label: id,
              about: summary,
            }))}
            value={operation ?? ""}
            onChange={(value) => ask({ operation: value || undefined, thing: undefined })}
          />
        )}
      </Field>
      {chosen && chosen.params.length > 0 && (
        <Thing
          key={chosen.id}
          params={chosen.params}
          value={thing ?? ""}
          onChange={(value) => ask({ thing: value || undefined })}
        />
      )}
      <Field label="Environment">
        {(bound) => (
          <Select
            {...bound}
            value={environment ?? "production"}
            onChange={({ target }) =>
              ask({
                environment:
                  target.value === "production"
                    ? undefined
                    : (target.value as "staging" | "development"),
              })
            }
          >
            {RUN_ENVIRONMENT.map((name) => (
              <option key={name} value={name}>
                {toWords(name)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {isAsked && error && <ErrorNotice error={error} />}
      {isAsked && !error && data && <Verdict explanation={data.data} />}
      {!isAsked && (
        <p className="muted">
          Select a person and an operation to see whether the person has permission. You can share
          the address of the result.
        </p>
      )}
    </aside>
  );
}

function Thing(props: {
  readonly params: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [text, setText] = useState(props.value);
  const settled = useDebounced(text.trim(), PAUSE_MS);
  const { value, onChange } = props;
  if (settled !== value && settled === text.trim()) queueMicrotask(() => onChange(settled));
  return (
    <Field
      label="Resource"
      isOptional
      help={`Enter ${props.params.join("/")}. The check does not change the resource.`}
    >
      {(bound) => (
        <TextInput
          {...bound}
          isMono
          value={text}
          spellCheck={false}
          onChange={({ target }) => setText(target.value)}
        />
      )}
    </Field>
  );
}

function Verdict({ explanation }: { readonly explanation: Explanation }) {
  const { allowed, person, operation, reasons, wouldGrant, failure, environment } = explanation;
  return (
    <section className="role-verdict" aria-live="polite">
      <p className={`verdict-word ${allowed ? "ok" : "bad"}`}>
        {allowed ? <CircleCheckBig className="ico" /> : <CircleX className="ico" />}
        {allowed ? "Yes" : "No"}
      </p>
      <p>
        {person.name} {allowed ? "can" : "can't"} call <code>{operation.id}</code>
        {environment === "production" ? "" : ` in ${environment}`}.
      </p>
      <ol>
        {reasons.map(({ check, passed, text }) => (
          <li key={check} className={passed === false ? "bad" : undefined}>
            {text}
          </li>
        ))}
      </ol>
      <p className="muted">
        {person.roles.length === 0
          ? "No roles in this workspace."
          : `Roles: ${person.roles.map(({ id, name }) => (id === name ? toWords(name) : name)).join(", ")}.`}
        {!allowed && wouldGrant.length > 0 && (
          <>
            {" "}
            Roles with this permission:{" "}
            {wouldGrant.map(({ id, name }) => (id === name ? toWords(name) : name)).join(", ")}.
          </>
        )}
      </p>
      {failure && (
        <p className="muted mono">
          {failure.status} {failure.code}
        </p>
      )}
    </section>
  );
}
