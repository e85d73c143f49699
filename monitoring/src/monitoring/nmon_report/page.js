"use strict";

// Every chart of a recording shows the same stretch of time and marks the same moment. Pointing at one sets the moment of
// all, dragging over one sets the stretch of all; the legends read the values out.
(() => {
  const payload = JSON.parse(document.getElementById("payload").textContent);
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const config = () => ({
    background: null,
    font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif",
    padding: { left: 0, right: 28, top: 6, bottom: 2 },
    view: { stroke: null },
    axis: {
      labelColor: style("--soft"),
      labelFontSize: 12,
      gridColor: style("--grid"),
      domainColor: style("--line"),
      tickColor: style("--line"),
    },
    axisY: { domain: false, ticks: false },
    rule: { color: style("--ink") },
  });

  const points = (panel) =>
    panel.time_ms.map((time, place) => {
      const next = panel.time_ms[place + 1];
      const joined = next > time && panel.segment[place + 1] === panel.segment[place];
      const lone = !joined && panel.segment[place - 1] !== panel.segment[place];
      const point = { time, lone, until: joined ? next : time + panel.usual_ms, segment: panel.segment[place] };
      let top = 0;
      panel.series.forEach((values, number) => {
        point[`s${number}`] = values[place];
        if (!panel.stacked) return;
        point[`b${number}`] = top;
        top = values[place] === null || top === null ? null : top + values[place];
        point[`t${number}`] = top;
      });
      return point;
    });

  const figureOf = (value) => {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    const precision = Math.abs(value) >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
    return value.toLocaleString("en", precision).replaceAll(",", "\u202f");
  };

  const clock = (time) => new Date(time).toISOString().slice(0, 19).replace("T", " ");

  const nearest = (panel, time) => {
    let best = 0;
    panel.time_ms.forEach((other, place) => {
      if (Math.abs(other - time) < Math.abs(panel.time_ms[best] - time)) best = place;
    });
    return best;
  };

  const mean = (panel, values, start, end) => {
    const shown = values.filter((value, place) => value !== null && panel.time_ms[place] >= start && panel.time_ms[place] <= end);
    return shown.length ? shown.reduce((sum, value) => sum + value, 0) / shown.length : null;
  };

  const drawRecording = async (article) => {
    const recording = payload[article.dataset.recording];
    const figures = [...article.querySelectorAll("figure")];
    const when = article.querySelector(".when");
    const whole = article.querySelector(".whole");
    const invitation = when.textContent;
    const views = [];
    let shown = [recording.start_ms, recording.end_ms];
    let moment = 0;
    let dragged = null;

    const readOut = () => {
      figures.forEach((figure, number) => {
        const panel = recording.panels[number];
        const place = moment ? nearest(panel, moment) : -1;
        [...figure.querySelectorAll("output")].forEach((output, series) => {
          const values = panel.series[series];
          output.value = figureOf(moment ? values[place] : mean(panel, values, ...shown));
        });
      });
      when.classList.toggle("moment", moment > 0);
      when.textContent = moment ? clock(moment) : invitation;
      whole.hidden = shown[0] === recording.start_ms && shown[1] === recording.end_ms;
    };

    const redraw = () => {
      for (const view of views) view.signal("start", shown[0]).signal("end", shown[1]).signal("moment", moment).runAsync();
      readOut();
    };

    const timeAt = (view, plot, event) => {
      const left = plot.getBoundingClientRect().left + view.origin()[0];
      const x = Math.min(Math.max(event.clientX - left, 0), view.width());
      return shown[0] + (x / view.width()) * (shown[1] - shown[0]);
    };

    const follow = (view, plot) => {
      plot.addEventListener("pointermove", (event) => {
        const time = timeAt(view, plot, event);
        moment = recording.panels.length ? recording.panels[0].time_ms[nearest(recording.panels[0], time)] : time;
        redraw();
      });
      plot.addEventListener("pointerleave", () => {
        moment = 0;
        redraw();
      });
      plot.addEventListener("pointerdown", (event) => {
        if (event.pointerType !== "touch") dragged = timeAt(view, plot, event);
      });
      plot.addEventListener("pointerup", (event) => {
        if (dragged === null) return;
        const [start, end] = [dragged, timeAt(view, plot, event)].sort((a, b) => a - b);
        dragged = null;
        if (end - start > (shown[1] - shown[0]) / 100) {
          shown = [start, end];
          redraw();
        }
      });
      plot.addEventListener("dblclick", () => whole.click());
    };

    whole.addEventListener("click", () => {
      shown = [recording.start_ms, recording.end_ms];
      redraw();
    });

    for (const [number, figure] of figures.entries()) {
      const panel = recording.panels[number];
      const plot = figure.querySelector(".plot");
      const spec = { ...panel.spec, datasets: { ...panel.spec.datasets, points: points(panel) } };
      const { view } = await vegaEmbed(plot, spec, { mode: "vega-lite", renderer: "canvas", actions: false, config: config() });
      views.push(view);
      follow(view, plot);
    }
    redraw();
    article.dataset.drawn = "true";
  };

  const drawAll = async () => {
    for (const article of document.querySelectorAll("article")) {
      try {
        await drawRecording(article);
      } catch (error) {
        article.querySelector(".when").textContent = `The charts could not be drawn: ${error}`;
        console.error(error);
      }
    }
  };

  drawAll();
})();
