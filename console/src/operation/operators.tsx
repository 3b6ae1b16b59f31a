import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { useMe } from "../data/people.ts";
import { perform } from "../data/use-command.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { Ago } from "../ui/time.tsx";
import { Button } from "../ui/form/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";

type Operator = Schemas["Operator"];

export function Operators() {
  const me = useMe();
  const { data, error, isPending, refetch } = useOp("installation.read_operators");
  const [isNew, setNew] = useState(false);
  const [ending, setEnding] = useState<Operator>();
  const operators = data?.data.operators ?? [];
  const remove = ({ userId, name }: Operator): void => {
    setEnding(undefined);
    void perform(
      "installation.remove_operator",
      { params: { id: userId } },
      { said: `${name} is no longer an operator.` },
    );
  };
  const reason = operators.length === 1 ? "The last operator can't be removed." : undefined;
  return (
    <Section
      title="Operators"
      about="Operators manage the installation and see its metrics, log and settings. They can't see the content of workspaces unless they are members."
      act={
        <Button look="main" onClick={() => setNew(true)}>
          Add operator{" "}
        </Button>
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={2} />}
      <ul>
        {operators.map((operator) => (
          <Entry
            key={operator.userId}
            title={operator.userId === me?.user.id ? `${operator.name} (you)` : operator.name}
            about={
              <>
                {operator.email} · since <Ago at={operator.grantedAt} />
              </>
            }
            act={
              <Button
                refusal={reason}
                aria-label={`Remove ${operator.name}`}
                onClick={() => setEnding(operator)}
              >
                Remove
              </Button>
            }
          />
        ))}
      </ul>
      {isNew && <NewOperator onClose={() => setNew(false)} />}
      {ending && (
        <Confirm
          title={`Remove ${ending.name}`}
          act="Remove"
          onAct={() => remove(ending)}
          onClose={() => setEnding(undefined)}
        >
          They lose access to these pages immediately. Their workspaces do not change.
        </Confirm>
      )}
    </Section>
  );
}

function NewOperator({ onClose }: { readonly onClose: () => void }) {
  const form = useForm("installation.add_operator", {
    said: ({ data: { name } }) => `${name} is now an operator.`,
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title="Add operator" act="Add" onClose={onClose}>
      <TextField
        {...form.field("email")}
        label="E-mail"
        help="E-mail address of an existing account."
        inputMode="email"
      />
    </FormDialog>
  );
}
