/** The web application as the published study describes it. */
package uploadlab.paper.webapp;
