import { useState } from "react";
import { call, invalidate, type Schemas } from "../../data/api.ts";
import { useMe } from "../../data/people.ts";
import { useAttempt } from "../../shell/sign-in/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { ScopePicker } from "./scope-picker.tsx";

const LIFETIMES = [
  ["7d", "A week"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["365d", "A year"],
  ["", "For ever"],
] as const;

/** A new token: its name, how long, and no more than it needs. */
export function NewTokenDialog(props: {
  readonly onClose: () => void;
  readonly onMade: (token: Schemas["NewApiToken"]) => void;
}) {
  const me = useMe();
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState("90d");
  const [ranges, setRanges] = useState("");
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set());
  const { problem, isBusy, attempt } = useAttempt();
  const make = async (): Promise<void> => {
    const ipAllowlist = ranges.split(/[\s,]+/).filter(Boolean);
    const { data } = await call("tokens.create", {
      body: {
        name: name.trim(),
        expiresIn: lifetime === "" ? null : lifetime,
        scopes: [...scopes].toSorted(),
        ...(ipAllowlist.length > 0 && { ipAllowlist }),
      },
    });
    invalidate(["tokens."]);
    props.onMade(data);
  };
  return (
    <Dialog
      title="New API token"
      isWide
      onClose={props.onClose}
      onSubmit={() => void attempt(make)}
      footer={
        <button className="btn main" disabled={isBusy || name.trim() === "" || scopes.size === 0}>
          Create the token
        </button>
      }
    >
      <Field label="Name" help="What uses it: you will look for it by this.">
        {(bound) => (
          <input
            {...bound}
            className="field"
            maxLength={100}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Field label="Expires after">
        {(bound) => (
          <select
            {...bound}
            className="field"
            value={lifetime}
            onChange={({ target }) => setLifetime(target.value)}
          >
            {LIFETIMES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <ScopePicker offered={me?.permissions ?? []} chosen={scopes} onChange={setScopes} />
      <Field
        label="Only from these addresses"
        isOptional
        help="Ranges such as 192.0.2.0/24, separated by spaces."
      >
        {(bound) => (
          <input
            {...bound}
            className="field"
            value={ranges}
            onChange={({ target }) => setRanges(target.value)}
          />
        )}
      </Field>
      {problem !== undefined && (
        <p className="dialog-problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
