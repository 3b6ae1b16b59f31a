import { useOp } from "../../data/api.ts";
import { useAnyForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { useMay } from "../../data/people.ts";
import { Form, type Schema } from "../../form/index.ts";
import { Button } from "../../ui/form/button.tsx";
import { InlineForm } from "../../ui/form/inline-form.tsx";
import { getOf, type Ticket, UPDATE } from "../ticket-kind.ts";

type Values = Readonly<Record<string, unknown>>;

/** The custom fields of this kind, generated from their schema and edited in place. */
export function OwnFields({ ticket }: { readonly ticket: Ticket }) {
  const { kind, id, number, all } = ticket;
  const may = useMay();
  const found = useOp("desk.get_kind", { params: { kind } }, { enabled: may("teams.list") }).data;
  const form = useAnyForm(UPDATE[kind], {
    params: { id },
    initial: toFields({ data: all }),
    version: versionOf(getOf(kind), { params: { id: number } }, toFields),
    inside: "fields",
    said: `${number} saved`,
  });
  if (!found || found.data.fields.length === 0) return null;
  return (
    <section className="strip-part own-fields">
      <h2>More</h2>
      <InlineForm
        form={form}
        label="More"
        act="Save"
        isMain
        isQuiet
        others={
          <Button type="button" onClick={form.reset}>
            Discard changes
          </Button>
        }
      >
        <Form
          schema={found.data.schema as Schema}
          value={form.values}
          onChange={(next) => form.change(differenceOf(form.values, next as Values))}
          errors={form.errorsOf("fields")}
          base="/fields"
          isDense
          isDisabled={form.refusal !== undefined}
          hasSummary={false}
        />
      </InlineForm>
    </section>
  );
}

/** The changed parts: the others follow the server. An emptied part is missing in the new value. */
const differenceOf = (old: Values, next: Values): Values => {
  const changed = Object.keys({ ...old, ...next }).filter((key) => old[key] !== next[key]);
  return Object.fromEntries(changed.map((key) => [key, next[key]]));
};

const toFields = ({ data }: { readonly data: object }): Values =>
  (data as { readonly fields?: Values }).fields ?? {};
