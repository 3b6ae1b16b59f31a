import { CMDB_ITEM_STATUS } from "@millrace/client/enums";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ApiError, call, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { LineField, NameField, SelectField, TeamSelect } from "../../desk-settings/index.ts";
import { Form, type Schema, toSendable } from "../../form/index.ts";
import { Field } from "../../ui/field.tsx";
import { PersonCombobox } from "../../data/options/person-combobox.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { toWords } from "../../ui/words.ts";
import { mergeAttributes } from "../classes/attribute-model.ts";
import type { Item } from "./item.ts";
import { Button } from "../../ui/form/button.tsx";

const STATUSES = CMDB_ITEM_STATUS;

interface ItemFormProps {
  /** None where one is made. */
  readonly item?: Item;
  readonly ifMatch?: string | undefined;
  readonly onClose: () => void;
}

/** An item and its attributes: the fields are those of its class. */
export function ItemForm({ item, ifMatch, onClose }: ItemFormProps) {
  const navigate = useNavigate();
  const classes = useOp("cmdb.list_classes", { query: { limit: 200 } }).data?.data;
  const [draft, setDraft] = useState(() => toDraft(item));
  const [refused, setRefused] = useState<unknown>();
  const change = (next: Partial<typeof draft>): void => setDraft((old) => ({ ...old, ...next }));
  const schema = useMemo(
    () => mergeAttributes(classes ?? [], draft.class) as Schema,
    [classes, draft.class],
  );
  const hasFields = Object.keys((schema["properties"] as object | undefined) ?? {}).length > 0;
  const errors = refused instanceof ApiError ? refused.errors : [];
  const errorOf = (pointer: string): string | undefined =>
    errors.find(({ path }) => path === pointer)?.message;
  const submit = async (): Promise<void> => {
    const known = toSendable(schema, draft.attributes) as Record<string, unknown>;
    const body = {
      ...draft,
      key: draft.key.trim() === "" ? null : draft.key,
      attributes: { ...draft.attributes, ...known },
    };
    try {
      const { data } = item
        ? await call(
            "cmdb.update_item",
            { params: { id: item.id }, body },
            ifMatch === undefined ? {} : { ifMatch },
          )
        : await call("cmdb.create_item", { body });
      notify(`${data.name} is saved`);
      onClose();
      if (!item) void navigate({ to: "/services/$id", params: { id: data.id } });
    } catch (error) {
      setRefused(error);
    }
  };
  return (
    <Dialog
      title={item ? `Edit ${item.name}` : "New item"}
      isWide
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={<Button look="main">{item ? "Save" : "Create"}</Button>}
    >
      <div className="item-form">
        {refused !== undefined && (
          <p className="problem" role="alert">
            {describeRefusal(refused)}
          </p>
        )}
        <ItemFields draft={draft} change={change} classes={classes} errorOf={errorOf} />
        {hasFields && (
          <Form
            schema={schema}
            value={draft.attributes}
            onChange={(attributes) => change({ attributes: attributes as typeof draft.attributes })}
            errors={errors}
            base="/attributes"
            isDense
            hasSummary={false}
          />
        )}
      </div>
    </Dialog>
  );
}

interface ItemFieldsProps {
  readonly draft: ReturnType<typeof toDraft>;
  readonly change: (next: Partial<ReturnType<typeof toDraft>>) => void;
  readonly classes: readonly { readonly name: string; readonly label: string }[] | undefined;
  readonly errorOf: (pointer: string) => string | undefined;
}

/** What every item has, whatever its class. */
function ItemFields({ draft, change, classes, errorOf }: ItemFieldsProps) {
  return (
    <>
      <div className="editor-columns">
        <NameField {...{ draft, change, errorOf }} />
        <SelectField
          label="Class"
          value={draft.class}
          options={(classes ?? [{ name: draft.class, label: "" }]).map(({ name, label }) => [
            name,
            label || toWords(name),
          ])}
          onChange={(name) => change({ class: name })}
          error={errorOf("/class")}
        />
        <SelectField
          label="State"
          value={draft.status}
          options={STATUSES.map((one) => [one, toWords(one)])}
          onChange={(status) => change({ status })}
        />
        <LineField
          label="Key"
          value={draft.key}
          onChange={(key) => change({ key })}
          error={errorOf("/key")}
          help="As other systems know it; an import finds it by this."
          isOptional
        />
        <Field label="Owner" isOptional>
          {({ id }) => (
            <PersonCombobox
              id={id}
              label="Owner"
              value={draft.ownerId ?? undefined}
              onChange={(ownerId) => change({ ownerId: ownerId ?? null })}
            />
          )}
        </Field>
        <TeamSelect
          label="Team"
          none="None"
          value={draft.teamId}
          onChange={(teamId) => change({ teamId })}
        />
      </div>
      <LineField
        label="Description"
        value={draft.description}
        onChange={(description) => change({ description })}
        isArea
        isOptional
      />
    </>
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
