import { HealthControllerError } from './errors.js';

/** A service as far as its dependencies go. */
export interface Dependent {
  readonly name: string;
  readonly dependsOn: readonly string[];
}

/**
 * The services, each after what it depends on, otherwise in the order given. Its reverse is the order of stopping.
 * @throws HealthControllerError `unknown_dependency`, `dependency_cycle`
 */
export function dependencyOrder<Service extends Dependent>(services: readonly Service[]): readonly Service[] {
  const byName = new Map(services.map((service) => [service.name, service]));
  const ordered = new Set<Service>();
  for (const service of services) visit(service, byName, ordered);
  return [...ordered];
}

interface Step<Service> {
  readonly service: Service;
  next: number;
}

// With a stack of its own: a chain of ten thousand must not overflow the engine's.
function visit<Service extends Dependent>(
  root: Service,
  byName: ReadonlyMap<string, Service>,
  ordered: Set<Service>,
): void {
  if (ordered.has(root)) return;
  const path: Step<Service>[] = [{ service: root, next: 0 }];
  const onPath = new Set<Service>([root]);
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const wanted = step.service.dependsOn[step.next++];
    if (wanted === undefined) {
      ordered.add(step.service);
      onPath.delete(step.service);
      path.pop();
      continue;
    }
    const dependency = byName.get(wanted);
    if (dependency === undefined) throw unknown(step.service.name, wanted);
    if (onPath.has(dependency))
      throw cycle(
        path.map((each) => each.service.name),
        wanted,
      );
    if (ordered.has(dependency)) continue;
    onPath.add(dependency);
    path.push({ service: dependency, next: 0 });
  }
}

function unknown(service: string, wanted: string): HealthControllerError {
  return new HealthControllerError(
    'unknown_dependency',
    `start(): service ${JSON.stringify(service)} depends on ${JSON.stringify(wanted)}; expected the name of a registered service`,
  );
}

function cycle(path: readonly string[], wanted: string): HealthControllerError {
  const names = [...path.slice(path.indexOf(wanted)), wanted].map((name) => JSON.stringify(name));
  return new HealthControllerError('dependency_cycle', `start(): services depend on each other: ${names.join(' -> ')}`);
}
