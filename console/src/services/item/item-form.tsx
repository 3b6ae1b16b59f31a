import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { PersonField, TeamField } from "../../data/options/search-field.tsx";
import { Form, type Schema, toSendable } from "../../form/index.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { toWords } from "../../ui/words.ts";
import { mergeAttributes } from "../classes/attribute-model.ts";
import type { Item } from "./item.ts";

interface ItemFormProps {
  /** Undefined for a new item. */
  readonly item?: Item;
  readonly ifMatch?: string | undefined;
  readonly onClose: () => void;
}

type Draft = ReturnType<typeof toDraft>;

/** The form of an item, including the attributes of its class. */
export function ItemForm({ item, ifMatch, onClose }: ItemFormProps) {
  const navigate = useNavigate();
  const classes = useOp("cmdb.list_classes", { query: { limit: 200 } }).data?.data;
  const schemaOf = (name: string) => mergeAttributes(classes ?? [], name) as Schema;
  const form = useForm(item ? "cmdb.update_item" : "cmdb.create_item", {
    params: { id: item?.id ?? "" },
    initial: toDraft(item),
    version: item && { etag: ifMatch },
    toBody: (draft: Draft) => ({
      ...draft,
      key: draft.key === "" ? null : draft.key,
      attributes: {
        ...draft.attributes,
        ...(toSendable(schemaOf(draft.class), draft.attributes) as object),
      },
    }),
    said: ({ data }) => `${data.name} saved`,
    onDone: ({ data }) => {
      onClose();
      if (!item) void navigate({ to: "/services/$id", params: { id: data.id } });
    },
  });
  const { values } = form;
  const schema = useMemo(() => schemaOf(values.class), [classes, values.class]);
  const hasFields = Object.keys((schema["properties"] as object | undefined) ?? {}).length > 0;
  const attributes = form.field("attributes");
  return (
    <FormDialog
      form={form}
      title={item ? `Edit ${item.name}` : "New item"}
      act={item ? "Save" : "Create"}
      isWide
      onClose={onClose}
    >
      <Grid min="l">
        <TextField {...form.field("name")} />
        <SelectField
          {...form.field("class")}
          isRequired
          options={(classes ?? [{ name: values.class, label: "" }]).map(({ name, label }) => [
            name,
            label || toWords(name),
          ])}
        />
        <SelectField {...form.field("status")} label="State" isRequired />
        <TextField
          {...form.field("key")}
          help="Unique id in other systems. Imports use it to find the item. Example: SRV-0042"
        />
        <PersonField {...form.field("ownerId")} />
        <TeamField {...form.field("teamId")} />
      </Grid>
      <TextAreaField {...form.field("description")} />
      {hasFields && (
        <Form
          schema={schema}
          value={attributes.value}
          onChange={(next) => attributes.onChange(next as Draft["attributes"])}
          errors={form.errorsOf("attributes")}
          base="/attributes"
          isDense
          hasSummary={false}
        />
      )}
    </FormDialog>
  );
}

const toDraft = (item: Item | undefined) => ({
  name: item?.name ?? "",
  class: item?.class ?? "server",
  status: item?.status ?? ("active" as const),
  key: item?.key ?? "",
  description: item?.description ?? "",
  ownerId: item?.ownerId ?? null,
  teamId: item?.teamId ?? null,
  attributes: { ...item?.attributes } as Record<string, unknown>,
});
