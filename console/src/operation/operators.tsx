import { useState } from "react";
import { call, type Schemas, useOp } from "../data/api.ts";
import { useMe } from "../data/people.ts";
import { useAttempt } from "../shell/sign-in/card.tsx";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { Ago } from "../ui/time.tsx";
import { notify, notifyError } from "../ui/toast.tsx";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

type Operator = Schemas["Operator"];

export function Operators() {
  const me = useMe();
  const { data, error, isPending, refetch } = useOp("installation.read_operators");
  const [isNew, setNew] = useState(false);
  const [ending, setEnding] = useState<Operator>();
  const operators = data?.data.operators ?? [];
  const remove = async ({ userId, name }: Operator): Promise<void> => {
    setEnding(undefined);
    try {
      await call("installation.remove_operator", { params: { id: userId } });
      notify(`${name} is no longer an operator.`);
    } catch (failure) {
      notifyError(failure);
    }
  };
  const reason = operators.length === 1 ? "The last operator can't be removed." : undefined;
  return (
    <Section
      title="Operators"
      about="They run the installation and see its figures, log and settings; what is in a workspace only its members see."
      act={
        <Button look="main" onClick={() => setNew(true)}>
          Add an operator
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
          onAct={() => void remove(ending)}
          onClose={() => setEnding(undefined)}
        >
          The installation is closed to them at once. Their workspaces stay as they are.
        </Confirm>
      )}
    </Section>
  );
}

function NewOperator({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState("");
  const { problem, isBusy, attempt } = useAttempt();
  const add = async (): Promise<void> => {
    const { data } = await call("installation.add_operator", { body: { email: email.trim() } });
    notify(`${data.name} is an operator now.`);
    onClose();
  };
  return (
    <Dialog
      title="Add an operator"
      onClose={onClose}
      onSubmit={() => void attempt(add)}
      footer={
        <Button look="main" disabled={isBusy || email.trim() === ""}>
          Add
        </Button>
      }
    >
      <Field label="E-mail" help="Of an account that exists." error={problem}>
        {(bound) => (
          <TextInput
            {...bound}
            inputMode="email"
            maxLength={254}
            value={email}
            onChange={({ target }) => setEmail(target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}
