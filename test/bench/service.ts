// The whole service as separate processes: frames per CPU second of all of them when it is fed as fast as it accepts frames.
import { withService } from './children.ts';
import { fedService, fullInputs, fullSpeed, WARM_UP_FRAMES } from './fed.ts';
import { type Bench, type Figure, rateFigure } from './harness.ts';

export const serviceBench: Bench = {
  name: 'service',
  summary: 'all processes of a service, fed over TCP',
  async run() {
    const figures: Figure[] = [];
    for (const [name, input] of Object.entries(fullInputs)) {
      const { what, pieces } = input();
      const { rate } = await withService(['--no-simulation'], (service) => fullSpeed(fedService(service), pieces));
      const how = `over TCP as Beast at full speed, after ${WARM_UP_FRAMES} frames of warm-up, log and history on disk included`;
      figures.push(rateFigure(`service-processes-${name}`, 'frames/CPU-s', rate, `${what}, ${how}`));
    }
    return figures;
  },
};
