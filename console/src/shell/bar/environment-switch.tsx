import { Check, ChevronsUpDown } from "lucide-react";
import { lazy, Suspense } from "react";
import {
  ENVIRONMENTS,
  type Environment,
  place,
  switchPlace,
  toSharedPath,
} from "../../data/place.ts";
import { toWords } from "../../ui/words.ts";
import { Popover } from "./popover.tsx";
import { PlainButton } from "../../ui/form/button.tsx";

const ProductionValues = lazy(async () => ({
  default: (await import("../../data/notices/production-values.tsx")).ProductionValues,
}));

export const ENVIRONMENT_WORDS: Readonly<Record<Environment, string>> = {
  production: "Live data. Changes affect all users.",
  staging: "For tests before production, with separate data, runs and deployed versions.",
  development: "For development, with separate data and runs.",
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
            All environments share workflows and people. Records, tickets and runs belong to one
            environment. Secrets and variables can have a value in each environment.
          </li>
          <li className="env-note">
            <Suspense>
              <ProductionValues environment="staging" />
              <ProductionValues environment="development" />
            </Suspense>
          </li>
        </ul>
      )}
    </Popover>
  );
}
