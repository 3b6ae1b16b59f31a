import type { Schemas } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { useMe } from "../../data/people.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { ListField } from "../../ui/form/list-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { ScopesField } from "./scope-picker.tsx";

const LIFETIMES = [
  ["7d", "A week"],
  ["30d", "30 days"],
  ["90d", "90 days"],
  ["365d", "A year"],
] as const;

/** Creates a token: name, expiry and minimal scopes. */
export function NewTokenDialog(props: {
  readonly onClose: () => void;
  readonly onMade: (token: Schemas["NewApiToken"]) => void;
}) {
  const me = useMe();
  const form = useForm("tokens.create", {
    initial: { expiresIn: "90d" },
    onDone: ({ data }) => props.onMade(data),
  });
  return (
    <FormDialog
      form={form}
      title="New API token"
      act="Create the token"
      isWide
      onClose={props.onClose}
    >
      <TextField {...form.field("name")} help="What uses it: you will look for it by this." />
      <SelectField
        {...form.field("expiresIn")}
        label="Expires after"
        none="For ever"
        options={LIFETIMES}
        isRequired
      />
      <ListField
        {...form.field("ipAllowlist")}
        label="Only from these addresses"
        help="Ranges such as 192.0.2.0/24, separated by spaces."
      />
      <ScopesField {...form.field("scopes")} offered={me?.permissions ?? []} />
    </FormDialog>
  );
}
