import { Check, ChevronsUpDown } from "lucide-react";
import {
  ENVIRONMENTS,
  type Environment,
  place,
  switchPlace,
  toSharedPath,
} from "../../data/place.ts";
import { ProductionValues } from "../../data/notices/production-values.tsx";
import { toWords } from "../../ui/words.ts";
import { Popover } from "./popover.tsx";
import { PlainButton } from "../../ui/form/button.tsx";

export const ENVIRONMENT_WORDS: Readonly<Record<Environment, string>> = {
  production: "What people rely on. Whatever you do here counts.",
  staging: "A rehearsal: its own data, its own runs, and the versions published to it.",
  development: "To try things. Nobody is hurt.",
};

export function switchEnvironment(environment: Environment): void {
  switchPlace({ environment }, `${toSharedPath(location.pathname)}`);
}

/** Shows the current environment, always in the same place: production is neutral, other environments have a colour. */
export function EnvironmentSwitch() {
  return (
    <Popover
      label={`Environment: ${toWords(place.environment)}`}
      className="env-switch"
      trigger={
        <>
          <span className="env-dot" />
          {toWords(place.environment)}
          <ChevronsUpDown className="ico" />
        </>
      }
    >
      {(close) => (
        <ul className="env-list">
          {ENVIRONMENTS.map((environment) => {
            const isHere = environment === place.environment;
            return (
              <li key={environment}>
                <PlainButton
                  className={`env-choice env-${environment}`}
                  aria-current={isHere}
                  autoFocus={isHere}
                  onClick={() => (isHere ? close() : switchEnvironment(environment))}
                >
                  <span className="env-dot" />
                  <span className="grow">
                    <strong>{toWords(environment)}</strong>
                    <span className="muted">{ENVIRONMENT_WORDS[environment]}</span>
                  </span>
                  {isHere && <Check className="ico" />}
                </PlainButton>
              </li>
            );
          })}
          <li className="muted env-note">
            Workflows and people are the same in all environments. Records, tickets and runs belong
            to one environment. Secrets and variables can have a value in each.
          </li>
          <li className="env-note">
            <ProductionValues environment="staging" />
            <ProductionValues environment="development" />
          </li>
        </ul>
      )}
    </Popover>
  );
}
