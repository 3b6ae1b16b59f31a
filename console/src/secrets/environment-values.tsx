import { CONNECTOR_ENVIRONMENT } from "@millrace/client/enums";
import { Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Entry } from "../ui/display/section.tsx";
import { freeField } from "../ui/form/binding.ts";
import { CheckField } from "../ui/form/choice-field.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { toWords } from "../ui/words.ts";
import { Button } from "../ui/form/button.tsx";

/** Environments that can override the production value. */
export type OtherEnvironment = "staging" | "development";
const OTHERS = CONNECTOR_ENVIRONMENT;

interface EnvironmentValuesProps {
  /** The name of the secret or variable. */
  readonly name: string;
  readonly own: readonly string[];
  readonly ownValuesOnly: boolean;
  /** Renders an environment's own value. */
  readonly shownIn: (environment: "production" | OtherEnvironment) => ReactNode;
  /** The reason why the values are read-only. */
  readonly reason: string | undefined;
  /** Without an environment, sets the production value. */
  readonly onSet: (environment?: OtherEnvironment) => void;
  readonly onRemove: (environment: OtherEnvironment) => void;
  readonly onKeep: (ownValuesOnly: boolean) => void;
}

/** Shows the value per environment: separate, inherited from production, or missing. */
export function EnvironmentValues(props: EnvironmentValuesProps) {
  const { name, own, ownValuesOnly, shownIn, reason, onSet, onRemove, onKeep } = props;
  const off = { disabled: reason !== undefined, title: reason };
  return (
    <section aria-label="Values" className="section">
      <h3 className="secret-used">Values</h3>
      <ul>
        <Entry
          title="Production"
          about={shownIn("production")}
          act={
            <Button aria-label="Set value for production" {...off} onClick={() => onSet()}>
              Set value
            </Button>
          }
        />
        {OTHERS.map((environment) => {
          const isOwn = own.includes(environment);
          return (
            <Entry
              key={environment}
              title={toWords(environment)}
              about={
                isOwn ? shownIn(environment) : ownValuesOnly ? "Not set" : "Same as production"
              }
              act={
                <span className="row">
                  {isOwn && (
                    <IconButton
                      label={`Remove value of ${name} in ${environment}`}
                      isOff={off.disabled}
                      onPress={() => onRemove(environment)}
                    >
                      <Trash2 />
                    </IconButton>
                  )}
                  <Button
                    aria-label={`Set value for ${environment}`}
                    {...off}
                    onClick={() => onSet(environment)}
                  >
                    Set value
                  </Button>
                </span>
              }
            />
          );
        })}
      </ul>
      <div className="secret-keep">
        <CheckField
          {...freeField<boolean>("ownValuesOnly", ownValuesOnly, (isKept) =>
            onKeep(isKept === true),
          )}
          isDisabled={off.disabled}
          label="Use the production value only in production"
          help="Other environments have no value until you set one."
        />
      </div>
    </section>
  );
}
