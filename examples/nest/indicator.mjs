/**
 * An indicator for the health checks of @nestjs/terminus: up where the controller's report is healthy, down with the names
 * and reason codes of what is not.
 */
export function controllerIndicator(controller, key = 'controller', kind = 'readiness') {
  return async () => {
    const { overallHealthy, reason, services } = await controller[kind]();
    if (overallHealthy) return { [key]: { status: 'up' } };
    const failing = services.filter(({ status }) => status === 'ERROR');
    return {
      [key]: {
        status: 'down',
        ...(reason === undefined ? {} : { reason }),
        failing: Object.fromEntries(failing.map((entry) => [entry.name, entry.reason ?? 'failed'])),
      },
    };
  };
}
