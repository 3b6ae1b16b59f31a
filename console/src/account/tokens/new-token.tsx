import { useState } from "react";
import { call, type Schemas } from "../../data/api.ts";
import { Field } from "../../ui/field.tsx";
import { CredentialDialog } from "./credential-dialog.tsx";
import { Select, TextInput } from "../../ui/form/controls.tsx";

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
  const [lifetime, setLifetime] = useState("90d");
  const [ranges, setRanges] = useState("");
  const make = async (name: string, scopes: string[]): Promise<void> => {
    const ipAllowlist = ranges.split(/[\s,]+/).filter(Boolean);
    const { data } = await call("tokens.create", {
      body: {
        name,
        expiresIn: lifetime === "" ? null : lifetime,
        scopes,
        ...(ipAllowlist.length > 0 && { ipAllowlist }),
      },
    });
    props.onMade(data);
  };
  return (
    <CredentialDialog
      title="New API token"
      act="Create the token"
      nameHelp="What uses it: you will look for it by this."
      make={make}
      onClose={props.onClose}
    >
      <Field label="Expires after">
        {(bound) => (
          <Select {...bound} value={lifetime} onChange={({ target }) => setLifetime(target.value)}>
            {LIFETIMES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label="Only from these addresses"
        isOptional
        help="Ranges such as 192.0.2.0/24, separated by spaces."
      >
        {(bound) => (
          <TextInput {...bound} value={ranges} onChange={({ target }) => setRanges(target.value)} />
        )}
      </Field>
    </CredentialDialog>
  );
}
